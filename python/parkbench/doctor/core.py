"""The compiled core: how it was built, its libpq, and the guards of virtual threads' stacks."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

from parkbench.disclosure import unfit_build
from parkbench.doctor.check import Check
from parkbench.environment import ALLOW_DEBUG

_REBUILD = "install parkbench again: pip install ."


def checks() -> list[Check]:
    """The compiler on this machine, and what the core says of its own build."""
    found = [_compiler()]
    try:
        core: Any = importlib.import_module("parkbench._core")
    except ImportError as error:
        return [*found, Check("core", "problem", f"cannot be loaded: {' '.join(str(error).split())}", _REBUILD)]
    info = dict(core.build_info())
    return [*found, build(info), libpq(info), guards(str(core.stack_guard_mode()))]


def build(info: Mapping[str, Any]) -> Check:
    """The build: a sanitizer or missing optimisation makes figures worthless."""
    parts = [str(info[key]) for key in ("version", "compiler", "build_type") if info.get(key)]
    text = ", ".join(parts) or "no details"
    why = unfit_build({"environment": {"build": info}})
    if why is not None:
        remedy = f"its times are not for use, and a sweep refuses it (or {ALLOW_DEBUG}=1): pip install ."
        return Check("core", "note", f"{text}, {why}", remedy)
    return Check("core", "fine", f"{text}, no sanitizer")


def libpq(info: Mapping[str, Any]) -> Check:
    """Version of libpq, and whether it speaks TLS: without it a remote server must be asked for in plain text."""
    version = f"libpq {info.get('libpq') or 'of unknown version'}"
    if info.get("libpq_tls"):
        return Check("libpq", "fine", f"{version}, with TLS")
    remedy = (
        "for a server on another machine add sslmode=disable to its DSN (plain text), or build with the system's libpq"
    )
    return Check("libpq", "fine", f"{version}, without TLS: the embedded server and local ones work", remedy)


def guards(mode: str) -> Check:
    """How the stacks of virtual threads are guarded on this kernel."""
    if "madv" in mode.lower():
        return Check("stack guards", "fine", f"{mode}: every virtual thread guarded, up to a million")
    return Check("stack guards", "note", f"{mode}: guards up to the map limit", "Linux 6.13 or later guards a million")


def _compiler() -> Check:
    for name in ("g++", "clang++", "c++"):
        path = shutil.which(name)
        if path is not None:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
            return Check("compiler", "fine", (done.stdout.splitlines() or [name])[0])
    return Check(
        "compiler", "note", "no C++ compiler is on the path; the installed core works without", "apt-get install g++"
    )
