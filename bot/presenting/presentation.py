"""What a reply says, in words and numbers of one language; the type alone.

A surface lays it out and computes nothing: every text here is ready to be shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

NEAR = 2  # cards shown on each side of where the verdict changes


class Tone(StrEnum):
    """How good the news is; a surface may colour it, and always says it in words too."""

    GOOD = "good"
    CLOSE = "close"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the breakdown: `share` is of the whole, from 0 to 1; `percent` says it.

    `amount` has its unit; `number` is in GiB, for a column under one unit. `basis`: in a
    word, what kind of number it is.
    """

    label: str
    amount: str
    number: str
    share: float
    percent: str
    basis: str


@dataclass(frozen=True, slots=True)
class CardRow:
    """One card or class: its verdict in a word, examples of cards, and the room it leaves.

    `mixed`: the members of the class differ, and `detail` says which hold it.
    """

    name: str
    verdict: str
    tone: Tone
    examples: str
    detail: str
    asked: bool
    mixed: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A label, its value, and why or whence; `weighty`: the why matters most of all."""

    label: str
    value: str
    why: str
    weighty: bool = False


@dataclass(frozen=True, slots=True)
class Presentation:
    """A whole answer, the verdict first. `line` can be typed again.

    `total` is the peak in GiB and GB; `headline` is the verdict in a few words, `verdict`
    in sentences. `whole` is the sum of `lines`; `kinds` says which of them are what kind of
    number, `cards_note` what the verdicts of `cards` mean that are neither yes nor no. `advice`
    says what would make it fit, where that was looked for, and `advice_line` asks for the first.
    """

    tone: Tone
    title: str
    total: str
    headline: str
    verdict: str
    details: tuple[str, ...]
    lines_heading: str
    whole: Row
    lines: tuple[Row, ...]
    kinds: str
    cards_heading: str
    cards: tuple[CardRow, ...]
    cards_note: str
    assumed_heading: str
    assumed: tuple[Entry, ...]
    opinions_heading: str
    opinions: tuple[Entry, ...]
    warnings_heading: str
    warnings: tuple[str, ...]
    line_heading: str
    line: str
    advice_heading: str = ""
    advice: tuple[str, ...] = ()
    advice_line: str = ""
    plan_heading: str = ""
    plan: tuple[Entry, ...] = ()  # what would do it, where the cards do not
    team_heading: str = ""
    team: tuple[str, ...] = ()  # whether the cards of a team do it


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the things that are compared: its name, its total in GiB, and what holds it.

    `number` is empty where there is no estimate of it, and `holds` says why.
    """

    name: str
    number: str
    holds: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several answers side by side, the least memory first. `lines` ask for one of them each."""

    tone: Tone
    title: str
    headline: str
    details: tuple[str, ...]
    rows_heading: str
    rows: tuple[Compared, ...]
    assumed_heading: str
    assumed: tuple[Entry, ...]
    warnings_heading: str
    warnings: tuple[str, ...]
    lines_heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A small table in columns: `columns` above, `rows` below, all of them in a word or two.

    A row is its name and a cell for each column. `note`: what cells mean that are no numbers.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What fits at all, as charts. `lines`: to ask again, and for one of the cells each."""

    tone: Tone
    title: str
    headline: str
    details: tuple[str, ...]
    charts: tuple[Chart, ...]
    assumed_heading: str
    assumed: tuple[Entry, ...]
    warnings_heading: str
    warnings: tuple[str, ...]
    lines_heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OomExplanation:
    """Why memory ran out: the verdict, what the card held, and what to do.

    `whole` is the sum of `held`, or the card's total; `tried` came on top of it. `run`: sentences
    about an estimate of what ran, where its settings are known; `lines` can be typed.
    """

    tone: Tone
    title: str
    headline: str
    details: tuple[str, ...]
    held_heading: str
    whole: Row | None
    held: tuple[Row, ...]
    tried: str
    steps_heading: str
    steps: tuple[str, ...]
    run_heading: str
    run: tuple[str, ...]
    lines_heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was understood, what is wrong, and what to type instead."""

    understood_heading: str
    understood: str
    wrong_heading: str
    wrong: str
    type_heading: str
    lines: tuple[str, ...]


def near_the_turn(cards: Sequence[CardRow]) -> tuple[CardRow, ...]:
    """Cards asked about, and those next to a change of verdict; the first few if none changes."""
    asked = [card for card in cards if card.asked]
    others = [card for card in cards if not card.asked]
    turns = [i for i, (one, next_) in enumerate(pairwise(others)) if one.tone != next_.tone]
    first, last = (turns[0] + 1, turns[-1] + 1) if turns else (NEAR, NEAR)
    return (*asked, *others[max(0, first - NEAR) : last + NEAR])
