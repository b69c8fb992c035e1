"""What an answer's arithmetic is shown as; the types alone."""

from dataclasses import dataclass

from bot.presenting.explanation import Cited


@dataclass(frozen=True, slots=True)
class Worked:
    """One number: what it is of, its formula in names and in numbers, and what is said of it."""

    name: str
    amount: str
    formula: str
    numbers: str
    said: str
    source: Cited | None


@dataclass(frozen=True, slots=True)
class Maths:
    """All of it: the lines at the peak, the moments, and the rules of thumb."""

    opening: str
    lines: tuple[Worked, ...]
    moments_heading: str
    moments: tuple[str, ...]
    rules_heading: str
    rules: tuple[Worked, ...]
    line: str
