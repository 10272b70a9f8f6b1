"""Answers of the user are checked before anything is decided on them."""

from __future__ import annotations

import pytest

from parkbench import questions, validate
from parkbench.errors import ConfigError


def test_answers_as_texts_and_as_a_mapping() -> None:
    assert questions.check(["team=yes", "drivers = No", "users=300"]) == {"team": "yes", "drivers": "no", "users": 300}
    assert questions.check({"team": True, "locks": "n", "users": 5}) == {"team": "yes", "locks": "no", "users": 5}
    assert questions.check(None) == {}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["tem=yes"], "no question is called tem; did you mean team\\?"),
        (["team"], "takes KEY=VALUE, as in team=yes, not team"),
        (["team=maybe"], "the answer to team is yes or no, not maybe"),
        (["users=0"], "must be at least 1"),
        ({"zzz": "yes"}, "there are team, drivers, streaming, backpressure, locks, framework and users"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(given: object, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        questions.check(given)  # type: ignore[arg-type]


def test_on_the_command_line_the_option_is_named_as_it_is_typed() -> None:
    with validate.spelled_for_cli(), pytest.raises(ConfigError, match="--answer takes KEY=VALUE"):
        questions.check(["team"])


def test_every_question_says_what_follows_from_both_answers() -> None:
    for question in questions.QUESTIONS.values():
        assert question.text.endswith("?")
        assert question.yes != question.no
