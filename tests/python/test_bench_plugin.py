"""The pure parts of the plugin's benchmark: the order of its sessions, and what it says of them."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from bench import plugin
from bench.interval import met


def session(form: str, *, slow: bool, failed: bool) -> plugin.Session:
    return plugin.Session(
        form, slow, failed, "worse" if failed else "same", 1.1 if slow else 1.0, 2 if failed else 1, 2.0
    )


def test_every_session_has_its_turn_and_the_rare_ones_are_spread() -> None:
    order = plugin.ordered(plugin.FULL, 1)
    assert Counter(order) == {
        ("stored", False): 100, ("beside", False): 100, ("stored", True): 10, ("beside", True): 10,
    }  # fmt: skip
    assert order == plugin.ordered(plugin.FULL, 1) != plugin.ordered(plugin.FULL, 2)
    rare = [index for index, kind in enumerate(order) if kind == ("stored", True)]
    assert all(10 < later - earlier < 40 for earlier, later in itertools.pairwise(rare))


def test_the_goals() -> None:
    good = [session(form, slow=False, failed=index == 0) for form in ("stored", "beside") for index in range(100)]
    good += [session(form, slow=True, failed=True) for form in ("stored", "beside") for _ in range(10)]
    made = plugin.rows(good, 5)
    assert [row.ours for row in made] == [0.99, 1.0, 0.99, 1.0]
    assert all(met(row.ratio, row.high, row.goal) for row in made)
    assert made[0].note.startswith("99 of 100, interval 0.946 to 0.998; ")
    noisy = plugin.rows([*good, session("stored", slow=False, failed=True)], 5)
    assert met(noisy[0].ratio, noisy[0].high, noisy[0].goal) is False
    blind = plugin.rows([*good, session("beside", slow=True, failed=False)], 5)
    assert blind[3].ours == pytest.approx(10 / 11)
    assert met(blind[3].ratio, blind[3].high, blind[3].goal) is False


def test_no_session_is_no_ratio() -> None:
    assert [row.ratio for row in plugin.rows([], 5)] == [None] * 4
