"""The progress bar of a sweep: on standard error in a terminal, as a widget in a notebook, silent elsewhere."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from parkbench.plan import PlannedRun


class Progress:
    """Says which run is under way and how many are over."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def begin(self, run: PlannedRun) -> None:
        """Names the run that starts."""
        load = f"{run.cell.concurrency:,} user{'' if run.cell.concurrency == 1 else 's'}"
        if run.cell.rate_rps is not None:
            load = f"poisson {run.cell.rate_rps:,.4g}/s"
        self._bar.set_description_str(f"{run.cell.name}, {load}, repeat {run.repeat}")

    def end(self) -> None:
        """One run more is over."""
        self._bar.update(1)


@contextlib.contextmanager
def showing(total: int, *, quiet: bool, done: int = 0) -> Iterator[Progress]:
    """A bar over `total` runs of which `done` were there before. Its end leaves the line as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns where a notebook has no widgets, and falls back to text
        from tqdm.auto import tqdm

        # disable=None: off where standard error is no terminal. The notebook's bar knows no None.
        notebook = _in_notebook()
        disable = True if quiet else (False if notebook else None)
        bar = tqdm(
            total=total, initial=done, unit="run", disable=disable, file=None if notebook else sys.stderr, leave=False
        )
    try:
        yield Progress(bar)
    finally:
        bar.close()


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this code; that the kernel's package is loaded says nothing yet."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
