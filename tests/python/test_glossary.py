"""Every word that a result uses is defined."""

from __future__ import annotations

import pytest

from parkbench import glossary
from parkbench.bottleneck import RESOURCES
from parkbench.diagnosis import CAUSES
from parkbench.errors import ConfigError
from parkbench.record import LEDGER, PHASES


def test_all_words_of_a_result_are_defined() -> None:
    for word in (*PHASES, *LEDGER, "thread_pool", "virtual_threads", "reactive", "closed", "rounds", "too_short"):
        assert glossary.lookup(word)
    assert all(resource in glossary.TERMS["bottleneck"] for resource in RESOURCES)
    assert all(glossary.lookup(cause) for cause in CAUSES if cause not in ("generator", "none"))
    for word in ("leg", "capacity", "detectable", "steady", "noisy", "cause", "p_holm", "difference_ms", "prediction"):
        assert glossary.lookup(word)


def test_definitions_are_sentences() -> None:
    for word, text in glossary.TERMS.items():
        assert text.endswith("."), word
        assert len(text) < 170, word


@pytest.mark.parametrize("term", ["Virtual-Threads", "virtual_threads", "virtual threads", "VIRTUAL_THREADS"])
def test_spelling_does_not_matter(term: str) -> None:
    assert glossary.lookup(term) == glossary.TERMS["virtual_threads"]


def test_plural_and_quotation_marks() -> None:
    assert glossary.lookup("workers") == glossary.TERMS["worker"]
    assert glossary.lookup("little\u2019s law") == glossary.TERMS["Little's law"]
    assert glossary.lookup("rounds") == glossary.TERMS["rounds"]


def test_an_unknown_word_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean bottleneck"):
        glossary.lookup("botleneck")
    with pytest.raises(ConfigError, match="all of them are listed"):
        glossary.lookup("xyzzy")


def test_no_two_words_read_the_same() -> None:
    keys = [glossary._key(word) for word in glossary.TERMS]
    assert len(set(keys)) == len(keys)


def test_texts_for_the_terminal() -> None:
    assert glossary.explain("Workers").startswith("worker: A thread of the pool.")
    assert len(glossary.overview().splitlines()) == len(glossary.TERMS)
