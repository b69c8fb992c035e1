"""What a reply says, in words and numbers of one language; the type alone.

A surface lays it out and computes nothing: every text here is ready to be shown.
"""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How good the news is; a surface may colour it, and always says it in words too."""

    GOOD = "good"
    CLOSE = "close"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the breakdown: `share` is of the whole, from 0 to 1.

    `basis`: in a word, what kind of number it is.
    """

    label: str
    amount: str
    share: float
    basis: str


@dataclass(frozen=True, slots=True)
class CardRow:
    """One card or class: its verdict in a word, examples of cards, and the room it leaves."""

    name: str
    verdict: str
    tone: Tone
    examples: str
    detail: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A label, its value, and why or whence."""

    label: str
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Presentation:
    """A whole answer, the verdict first. `line` can be typed again."""

    tone: Tone
    title: str
    verdict: str
    details: tuple[str, ...]
    lines_heading: str
    lines: tuple[Row, ...]
    cards_heading: str
    cards: tuple[CardRow, ...]
    assumed_heading: str
    assumed: tuple[Entry, ...]
    opinions_heading: str
    opinions: tuple[Entry, ...]
    warnings_heading: str
    warnings: tuple[str, ...]
    line_heading: str
    line: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was understood, what is wrong, and what to type instead."""

    understood_heading: str
    understood: str
    wrong_heading: str
    wrong: str
    type_heading: str
    lines: tuple[str, ...]
