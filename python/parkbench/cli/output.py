"""What `parkbench run` shows when it is over: the table, the explanation, the audit, and where the charts are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from parkbench.errors import ParkbenchError

if TYPE_CHECKING:
    from parkbench.result import SweepResult


def show(result: SweepResult, *, as_json: bool, directory: str | None, charts: bool = True) -> None:
    """Prints the result, as text or as one JSON object, and saves the charts into the directory, if there is one.

    Without `charts` it is quick: after Ctrl-C the prompt is wanted back.
    """
    if as_json:
        print(json.dumps(result.to_json(), allow_nan=False), flush=True)
        if charts:
            save_charts(result, directory)
        return
    print(result.table())
    print()
    for sentence in result.explain().lines():
        print(sentence)
    if not charts:
        return
    print()
    saved = save_charts(result, directory)
    if saved is not None:
        print(f"Charts: {saved}. Every run: {directory} (pb.load reads it).")
    elif directory is None:
        print("Charts and every run on disk: add --out DIR.")


def save_charts(result: SweepResult, directory: str | None) -> Path | None:
    """The four charts as `charts.png` in the directory; None where there is none, or nothing to draw.

    Of a sweep with an open leg also `latency.png`. Raises ParkbenchError when the disk takes no more; none is left.
    """
    from parkbench.record import LEGS, is_comparable, load_key

    legs = {load_key(run)[0] for run in result.runs if is_comparable(run)}
    if directory is None or LEGS[0] not in legs:
        return None
    import matplotlib

    path = Path(directory) / "charts.png"
    second = path.with_name("latency.png")
    try:
        with matplotlib.rc_context({"backend": "Agg"}):
            result.plot().savefig(path)
            if LEGS[1] in legs:
                result.plot_latency().savefig(second)
    except OSError as error:
        for half in (path, second):
            half.unlink(missing_ok=True)
        raise ParkbenchError(f"cannot draw into {directory}: {error.strerror}; every run in it is kept") from error
    return path
