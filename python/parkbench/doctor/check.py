"""One line of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["fine", "note", "problem"]


@dataclass(frozen=True)
class Check:
    """What was looked at, how it is, and the remedy where there is one.

    `note`: runs work, but figures suffer or something is missing that a later step wants. `problem`: runs do not work.
    """

    name: str
    state: State
    text: str
    remedy: str = ""
