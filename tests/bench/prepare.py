"""Builds the peers once into .build/peers and makes sure of wrk: `./dev bench http --prepare`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from bench.servers import BUILT, PEERS, SOURCES, nginx_program

_LOG = BUILT / "prepare.log"


def say(sentence: str) -> None:
    """A line for people, on stderr: stdout may be one JSON object."""
    print(f"bench: {sentence}", file=sys.stderr, flush=True)


def missing() -> dict[str, str]:
    """The peers that cannot be started now, each with the reason."""
    reasons = {}
    for name in PEERS:
        if name == "nginx":
            if nginx_program() is None:
                reasons[name] = "nginx is not installed"
        elif not _program(name).exists():
            tool = "cargo" if name == "hyper" else "go"
            reasons[name] = f"not built: {tool} is missing" if shutil.which(tool) is None else "not built"
    return reasons


def stale() -> bool:
    """Whether something is not there that --prepare could make, or is older than its sources."""
    if shutil.which("wrk") is None or any(reason.endswith("built") for reason in missing().values()):
        return True
    if nginx_program() is None and shutil.which("apt-get") is not None:
        return True
    return any(_older(_program(name), sources) for name, sources in _sources().items() if _program(name).exists())


def prepare() -> None:
    """Build and install what is missing. What cannot be had is named and skipped, apart from wrk.

    Raises SystemExit(2) without wrk: nothing can be measured then.
    """
    BUILT.mkdir(parents=True, exist_ok=True)
    _LOG.write_text("")
    _need_wrk()
    _need_nginx()
    _go()
    _rust()
    for name, reason in missing().items():
        say(f"{name} is left out: {reason}")


def _program(name: str) -> Path:
    return BUILT / ("rust-server" if name == "hyper" else "go-server")


def _sources() -> dict[str, list[Path]]:
    go = [*(SOURCES / "go").rglob("*.go"), SOURCES / "go" / "go.sum"]
    rust = [*(SOURCES / "rust" / "src").rglob("*.rs"), SOURCES / "rust" / "Cargo.toml", SOURCES / "rust" / "Cargo.lock"]
    return {"fasthttp": go, "hyper": rust}


def _older(program: Path, sources: Iterable[Path]) -> bool:
    return not program.exists() or any(s.stat().st_mtime > program.stat().st_mtime for s in sources)


def _run(command: list[str], **environment: str) -> bool:
    """Run a command, its output into the log; whether it went well."""
    with _LOG.open("ab") as log:
        log.write(f"$ {' '.join(command)}\n".encode())
        log.flush()
        env = {**os.environ, **environment}
        return subprocess.run(command, stdout=log, stderr=log, env=env, check=False).returncode == 0


def _go() -> None:
    if shutil.which("go") is None or not _older(_program("fasthttp"), _sources()["fasthttp"]):
        return
    say("building the Go peers")
    target = str(_program("fasthttp"))
    if not _run(["go", "build", "-C", str(SOURCES / "go"), "-o", target, "./server"]):
        say(f"the Go peers could not be built, see {_LOG}")


def _rust() -> None:
    if shutil.which("cargo") is None or not _older(_program("hyper"), _sources()["hyper"]):
        return
    say("building the Rust peer (some minutes)")
    manifest = str(SOURCES / "rust" / "Cargo.toml")
    target = BUILT / "rust"
    built = _run(["cargo", "build", "--release", "--locked", "--manifest-path", manifest], CARGO_TARGET_DIR=str(target))
    if not built:
        say(f"the Rust peer could not be built, see {_LOG}")
        return
    shutil.copy(target / "release" / "rust-server", _program("hyper"))  # not copy2: newer than its sources


def _need_wrk() -> None:
    if shutil.which("wrk") is not None:
        return
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    install = [*root, "apt-get", "install", "-y", "--no-install-recommends", "wrk"]
    if shutil.which("apt-get") is not None and (not root or _run(["sudo", "-n", "true"])):
        say("installing wrk")
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        if _run(install, **quiet) or (_run([*root, "apt-get", "update"]) and _run(install, **quiet)):
            return
    say("the generator, wrk, is missing. Run this one line as root, then call ./dev bench again:")
    print("apt-get update && apt-get install -y --no-install-recommends wrk", file=sys.stderr)
    raise SystemExit(2)


def _need_nginx() -> None:
    """Unpacked and not installed, because the package would start a web server on port 80; needs no root."""
    if nginx_program() is not None or shutil.which("apt-get") is None:
        return
    say("fetching nginx")
    place = BUILT / "nginx"
    place.mkdir(exist_ok=True)
    fetch = ["sh", "-c", 'cd "$0" && rm -f *.deb && apt-get download nginx && dpkg-deb -x nginx_*.deb .', str(place)]
    if not _run(fetch):
        say(f"nginx could not be fetched, see {_LOG}")
        return
    program = nginx_program()
    if program is not None and not _run([str(program), "-v"]):
        say("nginx does not run here: a library is missing")
        shutil.rmtree(place)
