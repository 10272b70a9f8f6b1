"""Full disclosure: what a saved sweep must say of itself, so that somebody else can repeat it or know why not.

The list follows the full disclosure reports of TPC and SPEC: the program and how it was built, the machine and its
settings, the database and its settings, what was asked, in which order and with which seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BUILD = ("version", "compiler", "flags", "build_type", "sanitizer", "assertions", "libpq")
MACHINE = (
    "machine", "cpu_model", "cpus", "cpus_usable", "cpu_governor", "cpu_turbo", "cpu_shared_by_session", "cpu_quota",
    "memory_mib", "memory_limit_mib", "swap_mib", "transparent_huge_pages", "kernel", "system", "mitigations", "aslr",
    "clock_source", "limits", "placement",
)  # fmt: skip
PROGRAM = ("parkbench", "commit", "python", "python_implementation", "command")
DATABASE = ("provider", "version", "settings")
ASKED = (
    "workload", "models", "concurrency", "seed", "transport", "design", "order", "machine_costs",
    "started_at",
)  # fmt: skip
NEEDS_A_DATABASE = ("pricing",)
POOLS = ("connections", "workers", "queue", "carriers", "loops", "limit", "timeout")
# A machine may hide it, or have no such limit; an installed package has no commit.
_MAY_BE_NULL = (
    "cpu_governor", "cpu_turbo", "cpu_quota", "memory_limit_mib", "swap_mib", "transparent_huge_pages", "aslr",
    "clock_source", "commit", "limit",
)  # fmt: skip
REQUIRED = (
    *ASKED,
    *(f"options.{key}" for key in POOLS),
    *(f"environment.{key}" for key in (*MACHINE, *PROGRAM)),
    *(f"environment.build.{key}" for key in BUILD),
)
"""The paths of all that every sweep discloses; one with a database also `environment.postgres.*` (DATABASE)."""


def missing(sweep: Mapping[str, Any]) -> list[str]:
    """The fields that a sweep (what `sweep.json` holds) does not disclose, as paths: `environment.build.flags`."""
    needed = list(REQUIRED)
    if sweep.get("workload") in NEEDS_A_DATABASE:
        needed += [f"environment.postgres.{key}" for key in DATABASE]
    return [path for path in needed if _is_absent(sweep, path)]


def unfit_build(sweep: Mapping[str, Any]) -> str | None:
    """Why figures of this build are not for use (a sanitizer, assertions, no optimisation); None where they are."""
    build = _mapping(_mapping(sweep.get("environment")).get("build"))
    if build.get("sanitizer") not in (None, "", "none"):
        return f"a build with the sanitizer {build['sanitizer']}"
    if str(build.get("build_type", "")).lower() == "debug":
        return "a debug build"
    return "a build with assertions" if build.get("assertions") else None


def _is_absent(sweep: Mapping[str, Any], path: str) -> bool:
    found: Any = sweep
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return True
        found = found[key]
    return found is None and path.rpartition(".")[2] not in _MAY_BE_NULL


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
