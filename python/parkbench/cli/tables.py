"""Tables of commands: drawn by rich in a terminal, plain columns elsewhere, which grep and diff can read."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence


def drawn(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = (),
    *, terminal: bool | None = None,
) -> str:  # fmt: skip
    """The table as text. `right`: the columns with figures. `terminal` is asked of standard output unless said."""
    if terminal is None:
        terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return _drawn(title, headings, rows, right) if terminal else _plain(title, headings, rows, right)


def _drawn(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
                  show_edge=False)  # fmt: skip
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    out = StringIO()
    Console(file=out, force_terminal=True, no_color=bool(os.environ.get("NO_COLOR"))).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def _plain(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    lines = [headings, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(headings))]
    text = [
        "  ".join(cell.rjust(width) if index in right else cell.ljust(width)
                  for index, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    ]  # fmt: skip
    return "\n".join([title, *text])
