"""`parkbench glossary TERM`: what a word means here."""

from __future__ import annotations

import textwrap

import typer


def glossary(
    term: str = typer.Argument("", metavar="[TERM]", help="The word; without one, all of them.", show_default=False),
) -> None:
    """Say what a word means here: worker, carrier, queue, wakeup, response time, ..."""
    from parkbench.glossary import TERMS, lookup

    if term:
        print(lookup(term))
        return
    width = max(map(len, TERMS))
    for word, text in TERMS.items():
        lines = textwrap.wrap(text, 100 - width)
        print(f"{word:<{width}}  {lines[0]}", *(f"{'':<{width}}  {line}" for line in lines[1:]), sep="\n")
