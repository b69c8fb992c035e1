"""A verdict as it is said: a tight card may be more likely to fail than to hold it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from bot.presenting.presentation import Tone
from estimator import CardFit, Verdict


class Grade(StrEnum):
    """What is said of a card, or of a class whose cards differ."""

    FITS = "fits"
    TIGHT = "tight"  # the estimate goes in, its high end does not
    UNLIKELY = "unlikely"  # only the low end does
    NO = "no"
    DEPENDS = "depends"  # on which card of the class it is


TONES: Mapping[Grade, Tone] = MappingProxyType(
    {
        Grade.FITS: Tone.GOOD,
        Grade.TIGHT: Tone.CLOSE,
        Grade.DEPENDS: Tone.CLOSE,
        Grade.UNLIKELY: Tone.BAD,
        Grade.NO: Tone.BAD,
    }
)
_SAID: Mapping[Verdict, Grade] = MappingProxyType({one: Grade(one.value) for one in Verdict})
HOLDING = (Grade.FITS, Grade.TIGHT)  # grades of a card that one would try


def grade(card: CardFit) -> Grade:
    """How the verdict on `card` is said; of a class, by all of its cards."""
    members = set(member_grades(card).values())
    if not members:
        return _grade(card.verdict, card.gap_bytes)
    if len(members) == 1:
        return members.pop()
    return Grade.DEPENDS if members & set(HOLDING) else Grade.UNLIKELY


def member_grades(card: CardFit) -> Mapping[str, Grade]:
    """The grade of each card of a class, by its name."""
    return {
        name: _grade(member.verdict, card.needed_bytes - member.usable_bytes)
        for name, member in card.members.items()
    }


def _grade(verdict: Verdict, gap_bytes: int) -> Grade:
    if verdict is Verdict.TIGHT and gap_bytes > 0:
        return Grade.UNLIKELY
    return _SAID[verdict]
