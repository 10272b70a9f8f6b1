"""Removes the folders of sweeps that died together with their watcher (kill -9 of both, a crash of the machine).

A folder is ours when it belongs to this account and holds our marker. It is stale when nobody holds the marker's lock
(the watcher is dead) and the owner named in it is dead. Folders made in another process namespace are left alone: their
owner cannot be seen from here.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from pathlib import Path

from parkbench.database import watcher


def remove_stale(base: str) -> list[str]:
    """Remove the stale folders in `base`; returns their paths."""
    removed = []
    with os.scandir(base) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(watcher.PREFIX)]
    for name in names:
        folder = f"{base}/{name}"
        try:
            if _remove_if_stale(folder):
                removed.append(folder)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # somebody else removed it, or it is not one of ours
    return removed


def _remove_if_stale(folder: str) -> bool:
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    marker = os.open(f"{folder}/{watcher.MARKER}", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(marker).st_uid != os.geteuid():
            return False
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        content = json.loads(os.read(marker, 65536))
        if content["pid_namespace"] != str(Path("/proc/self/ns/pid").readlink()):
            return False
        if _alive(int(content["owner_pid"]), str(content["owner_start"])):
            return False
        uid = content["uid"]
        watcher.clean(folder, uid if isinstance(uid, int) else None)
        return not Path(folder).exists()
    finally:
        os.close(marker)


def _alive(pid: int, started: str) -> bool:
    try:
        fields = watcher.process_fields(pid)
    except OSError:
        return False
    return fields[0] not in "ZX" and fields[19] == started  # one that nobody waited for (Z) is dead too
