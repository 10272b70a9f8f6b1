"""Python and the packages."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from parkbench._version import __version__
from parkbench.doctor.check import Check

_PACKAGES = ("numpy", "pandas", "matplotlib", "typer", "tqdm", "psutil", "pydantic", "rich")


def checks() -> list[Check]:
    """The interpreter, and whether each package that a sweep needs is there."""
    found = [_interpreter()]
    missing = [name for name in _PACKAGES if _version(name) is None]
    if missing:
        remedy = f"{sys.executable} -m pip install {' '.join(missing)}"
        found.append(Check("packages", "problem", f"missing: {', '.join(missing)}", remedy))
    else:
        found.append(Check("packages", "fine", ", ".join(f"{name} {_version(name)}" for name in _PACKAGES[:3])))
    return found


def _interpreter() -> Check:
    text = f"{platform.python_implementation()} {platform.python_version()}, parkbench {__version__}"
    if platform.python_implementation() != "CPython":
        return Check("python", "problem", text, "use CPython 3.11 or later")
    if not sys.executable:
        return Check("python", "problem", f"{text}, which does not know its own program", "start it by its full path")
    enabled = getattr(sys, "_is_gil_enabled", lambda: True)
    if not enabled():
        return Check("python", "note", f"{text} without the GIL", "the core is tested with the GIL: use that build")
    return Check("python", "fine", text)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
