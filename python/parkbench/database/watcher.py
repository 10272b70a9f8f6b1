"""Starts the private PostgreSQL server, keeps it while its owner lives, and leaves nothing behind.

server.py runs this file as a program of its own (`python -I -S watcher.py`, in a process group of its own, so that
Ctrl-C of a terminal does not reach it). Standard input is a pipe from the owner: one line of JSON that says what to
start, then silence; its end means that the owner is done, or gone in whatever way. Then the server is stopped, its
processes, its shared memory and its folder are removed. Standard output tells the owner what happens, one JSON object
a line.

The server gets SIGINT when the watcher itself is killed; the folder is then removed by the owner, or by the next start
(stale.py). Only the standard library, and little of it: this program starts in about 20 ms.

Layout of the folder: `owner` (the marker: who started it, locked while the watcher lives), `server.log`,
`server/` (belongs to the account the server runs as): `data/` and the unix socket.
"""

# Not pathlib: it would double the time to start.
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH115, PTH123, PTH208

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # not at run time: typing would double the time to start
    from typing import TypedDict

    class Plan(TypedDict):
        """What the owner wants started."""

        owner_pid: int
        base: str  # the folder in which the private folder is made
        uid: int | None  # whom the server's folder belongs to, None: the account of this process
        gid: int | None
        tcp: bool  # listen on 127.0.0.1 too
        initdb: list[str]  # the program with its arguments, without folder and authentication
        postgres: list[str]
        preload: str | None  # a library that keeps the server's processes in one session, see cpp/tools/one_session.cpp
        settings: list[str]  # name=value


PREFIX = "parkbench-"
MARKER = "owner"
LOG = "server.log"
FAST_STOP_S = 2.0  # SIGINT needs 0.2 s; the folder is thrown away, so nothing is lost by SIGQUIT and SIGKILL after it
IMMEDIATE_STOP_S = 0.5
INITDB_STOP_S = 1.0  # its servers need as long as the step they are in, at most 0.5 s on an idle machine


class OwnerGoneError(Exception):
    """The owner has closed its end of the pipe or has died, or the watcher was told to stop."""


class Watch:
    """Waits for the owner's end, for signals, and for time to pass."""

    def __init__(self, owner_pid: int) -> None:
        self.told_to_stop = os.getppid() != owner_pid
        self._wake, wake_in = os.pipe()
        for end in (self._wake, wake_in):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_in)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._stop)
        for ignored in (signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        self._owner = [sys.stdin.fileno()]
        # The pipe alone would miss an owner that died while a process it forked still holds the other end.
        with contextlib.suppress(OSError):
            self._owner.append(os.pidfd_open(owner_pid))

    def _stop(self, *_: object) -> None:
        self.told_to_stop = True

    def wait(self, timeout_s: float | None, owner: bool = True) -> None:
        """Sleep until a signal arrives or the time is over. With `owner`: raises OwnerGoneError when it is gone."""
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        for end in self._owner if owner else []:
            poller.register(end, select.POLLIN)
        ready = [end for end, _ in poller.poll(None if timeout_s is None else max(1, int(timeout_s * 1000)))]
        if self._wake in ready:
            os.read(self._wake, 4096)
        if owner and (self.told_to_stop or any(end in ready for end in self._owner)):
            raise OwnerGoneError


def tell(**event: object) -> None:
    """Write one event for the owner, who may be gone."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(event).encode() + b"\n")


def spawn(argv: list[str], log: str, preload: str = "") -> int:
    """Start a program in a process group of its own, with ordinary signals and its output appended to `log`."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PG", "LD_PRELOAD", "LC_"))}
    env |= {"LC_ALL": "C", "TZ": "UTC"}
    if preload:
        env["LD_PRELOAD"] = preload
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, append, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    ordinary = [signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ]
    return os.posix_spawn(argv[0], argv, env, file_actions=actions, setpgroup=0, setsigmask=[], setsigdef=ordinary)


def ended(pid: int) -> int | None:
    """The exit code of a child that has ended (negative: the signal), else None."""
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def wait_ended(watch: Watch, pid: int, timeout_s: float) -> bool:
    """Wait for a child whether or not the owner lives; False when it still runs after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while ended(pid) is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        watch.wait(left, owner=False)
    return True


def processes_in(folder: str) -> list[int]:
    """The processes whose working directory is in `folder`: PostgreSQL's work in their data directory."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                place = os.readlink(f"/proc/{name}/cwd")
            except OSError:
                continue
            if place.removesuffix(" (deleted)").startswith(folder + "/"):
                found.append(int(name))
    return found


def remove_segment(folder: str, uid: int | None) -> None:
    """Remove the System V segment (56 bytes) that a killed server leaves; its pid file names it."""
    try:
        with open(f"{folder}/server/data/postmaster.pid", encoding="utf-8") as file:
            key, shmid = file.read().splitlines()[6].split()
        with open("/proc/sysvipc/shm", encoding="utf-8") as file:
            ours = any(line.split()[:2] == [key, shmid] for line in file)
    except (OSError, ValueError, IndexError):
        return
    if not ours:
        return
    import ctypes

    child = os.fork()
    if child == 0:
        # In a container root may lack the right to remove another account's segment, so this is done as its owner.
        try:
            if uid is not None:
                os.setuid(uid)
            ctypes.CDLL(None).shmctl(int(shmid), 0, None)  # 0 is IPC_RMID
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def kill_left(folder: str, uid: int | None) -> None:
    """Kill the processes that a server has left and remove its shared memory, at most a second later."""
    for _ in range(100):
        left = processes_in(folder)
        if not left:
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    remove_segment(folder, uid)


def clean(folder: str, uid: int | None) -> None:
    """Remove what is left of a server: processes, shared memory, folder. Does nothing when nothing is left."""
    kill_left(folder, uid)
    shutil.rmtree(folder, ignore_errors=True)


def process_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on.

    Field 19 of them is when the process was started, in clock ticks since boot: tells it from a later one of the same
    number.
    """
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def fill_folder(folder: str, plan: Plan) -> int:
    """Make the private folder with its locked marker; returns the descriptor that holds the lock."""
    uid, gid, owner_pid = plan["uid"], plan["gid"], plan["owner_pid"]
    os.mkdir(folder, 0o700)
    marker = {
        "owner_pid": owner_pid,
        "owner_start": process_fields(owner_pid)[19],
        "pid_namespace": os.readlink("/proc/self/ns/pid"),
        "watcher_pid": os.getpid(),
        "uid": uid,
    }
    lock = os.open(f"{folder}/{MARKER}.new", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(lock, json.dumps(marker).encode())
    os.rename(f"{folder}/{MARKER}.new", f"{folder}/{MARKER}")
    os.mkdir(f"{folder}/server", 0o700)
    if uid is not None and gid is not None:
        os.chown(f"{folder}/server", uid, gid)
        os.chown(folder, -1, gid)
        os.chmod(folder, 0o710)  # noqa: S103  # the account may pass through, none may look in
    return lock


def log_tail(folder: str, lines: int = 12) -> list[str]:
    """The last lines the server wrote."""
    try:
        with open(f"{folder}/{LOG}", encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()[-lines:]
    except OSError:
        return []


def free_port() -> int:
    """A TCP port of 127.0.0.1 that is free now."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Keeper:
    """Carries out the owner's plan in a folder."""

    def __init__(self, plan: Plan, watch: Watch, folder: str) -> None:
        self.plan, self.watch, self.folder = plan, watch, folder
        self.data = f"{folder}/server/data"
        self.log = f"{folder}/{LOG}"
        self.child: int | None = None
        self.is_server = False
        self.password = ""
        self.uid = plan["uid"]

    def make_cluster(self) -> bool:
        """Run initdb; False when it failed."""
        argv = [*self.plan["initdb"], "-D", self.data]
        if self.plan["tcp"]:
            self.password = os.urandom(24).hex()
            secret = f"{self.folder}/server/password"
            file = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(file, self.password.encode() + b"\n")
            if self.uid is not None:
                os.fchown(file, self.uid, -1)
            os.close(file)
            argv += ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}"]
        else:
            argv += ["--auth=trust"]
        self.child, self.is_server = spawn(argv, self.log), False
        while (status := ended(self.child)) is None:
            self.watch.wait(None)
        self.child = None
        if self.password:
            os.unlink(f"{self.folder}/server/password")
        return status == 0

    def start_server(self) -> int | None:
        """Start postgres and wait until it takes connections; returns its TCP port (0: none), None when it failed."""
        deadline = time.monotonic() + 30.0
        for _ in range(3):  # the port may be taken by somebody else between the look and the start
            port = free_port() if self.plan["tcp"] else 0
            settings = [*self.plan["settings"], f"unix_socket_directories={self.folder}/server"]
            if port:
                settings += ["listen_addresses=127.0.0.1", f"port={port}"]
            else:
                settings += ["listen_addresses=", "port=5432"]
            options = [word for setting in settings for word in ("-c", setting)]
            argv = [*self.plan["postgres"], "-D", self.data, *options]
            self.child, self.is_server = spawn(argv, self.log, self.preload()), True
            while (status := ended(self.child)) is None and time.monotonic() < deadline:
                if self.ready():
                    return port
                self.watch.wait(0.005)
            if status is None:
                return None
            self.child = None
            if not any("ddress already in use" in line for line in log_tail(self.folder)):
                return None
        return None

    def preload(self) -> str:
        """The library to preload, copied to where the server's account can read it; "" for none."""
        if self.plan["preload"] is None:
            return ""
        copy = f"{self.folder}/server/one_session.so"
        shutil.copyfile(self.plan["preload"], copy)
        if self.uid is not None:
            os.chown(copy, self.uid, -1)
        return copy

    def stop(self) -> None:
        """Stop what runs, if anything does: the server politely, then fast, then for certain."""
        if self.child is None:
            return
        if not self.is_server:
            # Killed alone: the server processes of initdb then read the end of their input and end by themselves, which
            # removes their shared memory. A signal to them would not.
            os.kill(self.child, signal.SIGKILL)
            wait_ended(self.watch, self.child, 1.0)
            with contextlib.suppress(ProcessLookupError):  # raised when the last of its process group has ended
                deadline = time.monotonic() + INITDB_STOP_S
                while time.monotonic() < deadline:
                    os.killpg(self.child, 0)
                    time.sleep(0.01)
                os.killpg(self.child, signal.SIGKILL)
            return
        steps = ((signal.SIGINT, FAST_STOP_S), (signal.SIGQUIT, IMMEDIATE_STOP_S), (signal.SIGKILL, 1.0))
        for number, patience_s in steps:
            os.killpg(self.child, number)
            if wait_ended(self.watch, self.child, patience_s):
                return

    def ready(self) -> bool:
        """Whether the server says in its pid file that it takes connections."""
        try:
            with open(f"{self.data}/postmaster.pid", encoding="utf-8") as file:
                return file.read().splitlines()[7].strip() == "ready"
        except (OSError, IndexError):
            return False

    def keep(self) -> None:
        """Start everything, then wait for the owner's end. Raises OwnerGoneError."""
        begun = time.monotonic()
        if not self.make_cluster():
            tell(event="failed", what="initdb", log=log_tail(self.folder))
        else:
            made = time.monotonic()
            port = self.start_server()
            if port is None:
                tell(event="failed", what="postgres", log=log_tail(self.folder))
            else:
                spent = {"initdb_s": made - begun, "start_s": time.monotonic() - made}
                tell(event="ready", port=port, password=self.password, server_pid=self.child, **spent)
        while True:
            self.watch.wait(None)
            if self.child is not None and (status := ended(self.child)) is not None:
                self.child = None
                kill_left(self.folder, self.uid)
                tell(event="ended", status=status, log=log_tail(self.folder))


def main() -> None:
    """Read the plan, carry it out, clean up."""
    with open(0, "rb", buffering=0, closefd=False) as pipe:  # unbuffered: reads the line and nothing beyond it
        plan: Plan = json.loads(pipe.readline())
    watch = Watch(plan["owner_pid"])
    folder = f"{plan['base']}/{PREFIX}{os.urandom(6).hex()}"
    keeper = Keeper(plan, watch, folder)
    try:
        _lock = fill_folder(folder, plan)
        tell(event="folder", path=folder)
        keeper.keep()
    except OwnerGoneError:
        pass
    except Exception as error:  # told to the owner, who has the user's ear; this process has no standard error
        tell(event="failed", what="watcher", log=[f"{type(error).__name__}: {error}", *log_tail(folder)])
    finally:
        keeper.stop()
        clean(folder, keeper.uid)


if __name__ == "__main__":
    main()
