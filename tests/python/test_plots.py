"""Charts show what the frame holds, their names do not overlap, and drawing leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import run_records as records
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from test_explain import Runs

from parkbench.frame import runs_frame
from parkbench.plots import against_load, articles, latency, phases, theme
from parkbench.record import PHASES
from parkbench.result import SweepResult

NAMES = ("thread_pool", "virtual_threads", "reactive")


def sweep(loads: tuple[int, ...] = (10, 50, 200, 400)) -> Runs:
    return [records.starved(m, r, c) for c in loads for r in range(3) for m in NAMES]


def labels(axes: Axes) -> dict[str, tuple[float, float, float]]:
    """Bottom, top and right edge of each name at a line's end, in pixels."""
    figure = axes.figure
    assert isinstance(figure, Figure)
    theme.png(figure)  # drawn, so that the texts have their places
    boxes = {text.get_text(): Text.get_window_extent(text) for text in axes.texts}  # without the line that ties it
    return {name: (box.y0, box.y1, box.x1) for name, box in boxes.items()}


def test_four_charts_from_zero_with_units_and_names() -> None:
    figure = articles(runs_frame(sweep()), "pricing, closed")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Threads blocked, mean", "Threads, peak", "Mean response time", "Throughput"]  # fmt: skip
    for axes in figure.axes:
        assert axes.get_ylim()[0] == 0
        assert axes.get_ylabel()
        assert axes.get_xlabel() == "users"
        assert set(labels(axes)) == set(NAMES)


def test_points_are_medians_and_whiskers_reach_the_extremes() -> None:
    runs = [records.few_workers("reactive", r) for r in range(3)]
    for run, value in zip(runs, (10.0, 12.0, 20.0), strict=True):
        run["response_mean_ms"] = value
    figure = theme.Chart()
    axes = against_load(figure.subplots(), runs_frame(runs), "response_mean_ms")
    line, caps, _ = axes.containers[0].lines  # type: ignore[attr-defined]
    assert line.get_ydata().tolist() == [12.0]
    assert sorted(float(cap.get_ydata()[0]) for cap in caps) == [10.0, 20.0]


def test_names_at_line_ends_do_not_overlap_and_stay_on_the_page() -> None:
    runs = sweep()
    for index in range(3):  # six names, all lines in the same place
        runs += [{**run, "name": f"again {run['name']}"} for run in sweep() if run["model"] == NAMES[index]]
    figure = articles(runs_frame(runs), "title")
    width = figure.bbox.width
    for axes in figure.axes:
        places = sorted(labels(axes).values())
        assert len(places) == 6
        assert all(lower[1] <= upper[0] + 1 for lower, upper in pairwise(places))
        neighbour = min((a.bbox.x0 for a in figure.axes if a.bbox.x0 > axes.bbox.x1), default=width)
        assert all(right <= neighbour for _, _, right in places)


@settings(deadline=None)
@given(st.lists(st.floats(0, 300), min_size=1, max_size=12).map(sorted))
def test_places_keep_their_order_their_distance_and_the_page(wanted: list[float]) -> None:
    places = theme._apart(wanted, 11.0, 0.0, 300.0)
    assert all(after - before >= 11.0 - 1e-6 for before, after in pairwise(places))
    assert places[0] >= -1e-6
    assert places[-1] <= 300.0 + 1e-6


def test_places_do_not_move_without_need() -> None:
    assert theme._apart([10.0, 50.0, 90.0], 11.0, 0.0, 100.0) == [10.0, 50.0, 90.0]
    assert theme._apart([50.0, 50.0], 10.0, 0.0, 100.0) == [45.0, 55.0]


def test_a_model_has_its_colour_everywhere_and_a_second_one_another() -> None:
    colours = theme.name_colours({"a": "thread_pool", "b": "thread_pool", "c": "reactive", "d": "other"})
    assert colours["a"] == "#d55e00"
    assert colours["c"] == "#009e73"
    assert len(set(colours.values())) == 4
    assert set(theme.PHASE_COLOURS) == set(PHASES)
    assert len(set(theme.PHASE_COLOURS.values())) == 12


def test_runs_that_are_not_ok_are_not_drawn_and_the_chart_says_so() -> None:
    runs = sweep((50,))
    runs[0]["status"] = "too_short"
    figure = articles(runs_frame(runs))
    assert "1 of 9 runs not drawn" in figure.texts[-1].get_text()
    for run in runs:
        run["status"] = "failed: x"
    with pytest.raises(ValueError, match="no run with status ok"):
        articles(runs_frame(runs))


def test_bars_are_as_long_as_the_mean_response() -> None:
    frame = runs_frame(sweep((50, 400)))
    figure = phases(frame)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(NAMES)
    for row, name in enumerate(NAMES):
        mean = frame[(frame["name"] == name) & (frame["concurrency"] == 400)]["response_mean_ms"].mean()
        bars = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == row]  # type: ignore[attr-defined]
        assert sum(bar.get_width() for bar in bars) == pytest.approx(mean)  # type: ignore[attr-defined]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["queue", "connection", "database", "others"]
    with pytest.raises(ValueError, match="there are runs at 50, 400"):
        phases(frame, 51)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_files_can_be_written(tmp_path: Path, mode: theme.Mode) -> None:
    figure = articles(runs_frame(sweep((50,))), "title", mode)
    assert theme.png(figure).startswith(b"\x89PNG")
    assert theme.svg(figure).startswith("<svg")
    assert theme.svg(figure) == theme.svg(figure)
    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.savefig(tmp_path / "a.png")
    figure.savefig(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_drawing_changes_no_settings_and_imports_no_pyplot() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import matplotlib as mpl\n"
        "def settings():  # reading the backend would load pyplot\n"
        "    return {key: mpl.rcParams[key] for key in mpl.rcParams if not key.startswith('backend')}\n"
        "before = settings()\n"
        "import test_plots as t\n"
        "t.theme.png(t.articles(t.runs_frame(t.sweep()), 'x'))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert settings() == before\n"
    )
    here = Path(__file__).parent
    paths = [str(here), str(here.parents[1] / "python")]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_articles_charts_are_of_the_closed_leg() -> None:
    figure = articles(runs_frame(records.both_legs()))
    for axes in figure.axes:
        assert axes.get_xlim()[1] < 500  # the connections of the open leg are no users
    assert "median of 5 repeats" in figure.texts[-1].get_text()
    bars = phases(runs_frame(records.both_legs()), title="x").axes[0]
    assert max(bar.get_width() for bar in bars.patches) > 1  # type: ignore[attr-defined]


def test_latency_is_drawn_against_the_share_of_the_lowest_capacity() -> None:
    runs = records.both_legs()
    figure = latency(runs_frame(runs), "title")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Mean response time", "p99 response time"]
    for axes in figure.axes:
        assert axes.get_ylim()[0] == 0
        assert axes.get_xlabel() == "offered, share of the lowest capacity"
        assert set(labels(axes)) == set(NAMES)
        line, _, _ = axes.containers[0].lines  # type: ignore[attr-defined]
        assert line.get_xdata().tolist() == [0.5, 0.8, 0.95]
    means = sorted(run["response_mean_ms"] for run in runs if run["name"] == NAMES[0] and run.get("load_share") == 0.95)
    first, _, _ = figure.axes[0].containers[0].lines  # type: ignore[attr-defined]
    assert first.get_ydata()[-1] == pytest.approx(means[2])


def test_a_p99_that_no_run_carries_is_not_drawn_and_the_chart_says_so() -> None:
    runs = [{**run, "response_p99_ms": None} for run in records.both_legs()]
    figure = latency(runs_frame(runs))
    assert len(figure.axes) == 1
    assert "p99 is not drawn: it needs 1,000" in figure.texts[-1].get_text()


def test_latency_needs_an_open_leg() -> None:
    with pytest.raises(ValueError, match="no run of an open leg"):
        latency(runs_frame(sweep()))


def test_runs_without_steady_state_are_not_drawn() -> None:
    runs = sweep((50,))
    runs[0] = records.not_steady(runs[0])
    assert "1 of 9 runs not drawn" in articles(runs_frame(runs)).texts[-1].get_text()


def test_titles_of_closed_charts_say_closed_users_and_think_time_and_no_rate() -> None:
    result = SweepResult({}, sweep())
    for figure in (result.plot(), result.plot_phases()):
        title = " ".join(text.get_text() for text in figure.texts if "closed" in text.get_text())
        assert "closed, no think time" in title
        assert "400 users" in title
        assert "/s" not in title
    whole = SweepResult({}, records.both_legs())
    assert whole.plot_latency().texts[0].get_text().startswith("pricing, direct, poisson 500/s, 800/s and 950/s (50,")
    assert "/s" not in whole.plot().texts[0].get_text()
    assert "closed, no think time, 400 users" in whole.plot_phases().texts[0].get_text()
