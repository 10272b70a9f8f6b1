"""What no measurement can tell and a decision needs: asked of the user, answered by `--answer KEY=VALUE`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parkbench import validate
from parkbench.errors import ConfigError

YES, NO = "yes", "no"
_WORDS = {"yes": YES, "y": YES, "true": YES, "1": YES, "no": NO, "n": NO, "false": NO, "0": NO}


@dataclass(frozen=True)
class Question:
    """`text` is asked; `yes` and `no` say what follows from the answer."""

    key: str
    text: str
    yes: str
    no: str


QUESTIONS = {
    question.key: question
    for question in (
        Question(
            "team",
            "Does the team write and debug pipelines of Mono and Flux with ease?",
            "reactive costs the team no new way of writing and debugging",
            "reactive would be learnt first: lazy pipelines, subscriptions, stack traces that do not show the order",
        ),
        Question(
            "drivers",
            "Does everything the service calls (database, HTTP, cache) have a non-blocking driver?",
            "nothing holds a loop",
            "a blocking driver stalls a loop, or has to be kept off it: reactive gains nothing there",
        ),
        Question(
            "streaming",
            "Does the service send streams (server-sent events, WebSocket)?",
            "a stream is what Flux is made for",
            "no stream speaks for reactive",
        ),
        Question(
            "backpressure",
            "Must a slow reader slow the source down, rather than be buffered or refused?",
            "reactive has demand built in; the others need a limit and a bounded queue of their own",
            "a limit on the requests inside is brake enough, for each model",
        ),
        Question(
            "locks",
            "Do requests hold a lock, run native code or keep per-thread state around a wait (synchronized before JDK "
            "24, thread-locals as a cache)?",
            "on virtual threads such a section pins its carrier, and per-thread caches multiply: look at them first",
            "nothing pins a carrier",
        ),
        Question(
            "framework",
            "Does the service already stand on a reactive framework (Spring Cloud Gateway, WebFlux)?",
            "stay with it and keep blocking calls out of its filters: rewriting it gains nothing by itself",
            "nothing ties the service to reactive",
        ),
    )
}
"""The articles' check-lists and decision tree, as far as only the user can answer them."""


def check(answers: Mapping[str, Any] | Iterable[str] | None) -> dict[str, Any]:
    """The answers, checked: yes or no by question, and `users`, the number of requests under way at once to decide for.

    Takes a mapping or texts `KEY=VALUE`. Raises `ConfigError` naming the keys or values there are.
    """
    pairs = list(answers.items()) if isinstance(answers, Mapping) else [_split(text) for text in answers or ()]
    found: dict[str, Any] = {}
    for key, value in pairs:
        word = str(key).strip().lower()
        if word == "users":
            found[word] = validate.whole("answer users", value, low=1, high=10**9)
        elif word in QUESTIONS:
            shown = {True: YES, False: NO}.get(value, value) if isinstance(value, bool) else value
            if str(shown).strip().lower() not in _WORDS:
                raise ConfigError(f"the answer to {word} is yes or no, not {validate.shown(value)}")
            found[word] = _WORDS[str(shown).strip().lower()]
        else:
            known = [*QUESTIONS, "users"]
            hint = validate.did_you_mean(word, known) or ";"
            raise ConfigError(f"no question is called {validate.shown(key)}{hint} there are {validate.listed(known)}")
    return found


def _split(text: str) -> tuple[str, str]:
    key, equals, value = str(text).partition("=")
    if not equals or not key.strip() or not value.strip():
        raise ConfigError(f"{validate.spell('answer')} takes KEY=VALUE, as in team=yes, not {validate.shown(text)}")
    return key, value
