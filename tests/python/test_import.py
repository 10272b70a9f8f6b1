"""The import of the package: its names, its cost, and that it does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import parkbench as pb

SOURCES = str(Path(pb.__file__).parents[1])
QUIET_IMPORT = """
import signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
begun = time.process_time()
import parkbench
took = time.process_time() - begun
assert before == (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
assert threading.active_count() == 1
heavy = {"numpy", "pandas", "matplotlib", "scipy", "typer", "tqdm", "pydantic", "parkbench._core"} & set(sys.modules)
assert not heavy, heavy
print(took)
"""


def test_the_import_is_quick_and_has_no_side_effects() -> None:
    took = [
        float(
            subprocess.run(
                [sys.executable, "-c", QUIET_IMPORT, SOURCES], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(5)
    ]
    assert min(took) < 0.15


def test_each_public_name_is_there() -> None:
    for name in pb.__all__:
        assert getattr(pb, name) is not None
        assert name in dir(pb)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'parkbench' has no attribute 'swep'"):
        _ = pb.swep


def test_the_sweep_is_a_function_whatever_was_imported_before() -> None:
    import parkbench.cli.run
    import parkbench.sweeping

    assert callable(pb.sweep)
    assert parkbench.sweeping.sweep is pb.sweep
