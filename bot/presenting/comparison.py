"""Several answers → one Comparison: the least memory first, and what holds each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bot.locale import Locale
from bot.presenting.difference import difference
from bot.presenting.disk import on_disks
from bot.presenting.names import formats_named
from bot.presenting.presentation import CardRow, Compared, Comparison, Entry, Presentation, Tone
from bot.presenting.sentences import capital
from estimator import Answer, show_gib, show_gib_number

LONGEST = 180  # characters of a headline that names each side
TWO, THREE = 2, 3
WORSE = (Tone.GOOD, Tone.CLOSE, Tone.BAD)  # of several cards the worst decides


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things that are compared: its name, and its answer or why there is none."""

    name: str
    line: str
    answer: Answer | None = None
    shown: Presentation | None = None
    refused: str = ""

    @property
    def bytes(self) -> int | None:
        return None if self.answer is None else self.answer.estimate.peak.bytes

    @property
    def found(self) -> int:
        """The most that was looked for and found, where it is a number; 0 where nothing was."""
        solved = None if self.answer is None else self.answer.solved
        return solved.value if solved is not None and isinstance(solved.value, int) else 0


def compare(
    sides: Sequence[Side], *, same: str, asked: str = "", cards: bool = False, locale: Locale
) -> Comparison:
    """All sides, those without an estimate last; `same` is what holds for all of them.

    The least memory comes first; of the most that cards hold, the most. `asked`: a question
    that they answer together. `cards`: their cards differ, and stand in their names.
    """
    rows = [(side, _row(side, locale, cards=cards)) for side in sides]
    rows.sort(
        key=lambda r: (
            r[0].bytes is None,
            -r[0].found,
            r[0].bytes or 0,
            WORSE.index(r[1].tone),
        )
    )
    order = [side for side, _ in rows]
    sized = [(side, row) for side, row in rows if side.bytes is not None]
    headings = locale.reply.headings
    details = [asked] if asked else []
    details += on_disks([(row.name, s.answer) for s, row in sized if s.answer], locale)
    details += _differences(sized, locale)
    details += [locale.say("compared_same", words=formats_named(same))] if same else []
    return Comparison(
        tone=rows[0][1].tone,
        title=locale.say("compared", names=" / ".join(row.name for _, row in rows)),
        headline=_headline(sized, locale),
        details=tuple(details),
        rows_heading=headings["compared"],
        rows=tuple(row for _, row in rows),
        assumed_heading=headings["assumed_of_all"],
        assumed=_shared_assumptions(order),
        warnings_heading=headings["warnings"],
        warnings=_warnings(order),
        lines_heading=headings["one_of_them"],
        lines=tuple(side.line for side in order if not side.refused),
    )


def differing(
    fields: Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Of each request its fields that another has otherwise; and the fields that all share."""
    names = dict.fromkeys(name for one in fields for name in one)
    shared = {
        n: fields[0].get(n) for n in names if all(o.get(n) == fields[0].get(n) for o in fields)
    }
    own = [{name: value for name, value in one.items() if name not in shared} for one in fields]
    return own, shared


def _headline(sized: Sequence[tuple[Side, Compared]], locale: Locale) -> str:
    """The verdicts on the cards asked about; else which takes least, and which most."""
    verdicts = [_asked(side.shown) for side, _ in sized if side.shown is not None]
    (first, least), (last, most) = sized[0], sized[-1]
    low, high = first.bytes or 0, last.bytes or 0
    if all(side.answer is not None and side.answer.solved is not None for side, _ in sized):
        found = "; ".join(f"{row.name}: {row.holds}" for _, row in sized)
        return capital(found)
    if all(card is not None for card in verdicts):
        return _verdicts(sized, locale, each=show_gib(low) if low == high else "")
    if high == low:
        return locale.say("compared_even", peak=show_gib(low))
    key = "compared_several" if len(sized) > TWO else "compared_two"
    values = {"low": show_gib(low), "high": show_gib(high), "more": show_gib(high - low)}
    return locale.say(key, least=least.name, most=most.name, **values)


def _differences(sized: Sequence[tuple[Side, Compared]], locale: Locale) -> list[str]:
    """What differs most: from one to the next of two or three; of more, between the ends."""
    known = [(row.name, s.answer) for s, row in sized if s.answer and s.answer.solved is None]
    steps = [known[0], known[-1]] if len(known) > THREE else known
    said = (difference(one, other, locale) for one, other in pairwise(steps))
    return [words for words in said if words]


def _verdicts(sized: Sequence[tuple[Side, Compared]], locale: Locale, *, each: str) -> str:
    """`Yes: awq4, gptq4; no: fp8`."""
    found: dict[str, list[str]] = {}
    for side, row in sized:
        card = _asked(side.shown)
        size = "" if each or len(sized) > THREE else f" {show_gib(side.bytes or 0)}"
        found.setdefault(card.verdict if card else "", []).append(f"{row.name}{size}")
    said = "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in found.items())
    if len(said) > LONGEST:  # the rows name them
        counts = [f"{verdict}: {len(names)}" for verdict, names in found.items()]
        few = f"{next(iter(found))}: " + locale.say("compared_all", count=len(sized))
        said = "; ".join(counts) if len(found) > 1 else few
    return capital(said) + (locale.say("compared_each", peak=each) if each else "")


def _row(side: Side, locale: Locale, *, cards: bool) -> Compared:
    if side.answer is None or side.shown is None:
        return Compared(side.name, "", formats_named(side.refused), Tone.BAD)
    number = show_gib_number(side.answer.estimate.peak.bytes)
    card = _asked(side.shown)
    if side.answer.solved is not None and card is not None:
        solved = side.answer.solved
        value = f"{solved.value:,}" if isinstance(solved.value, int) else solved.value
        said = locale.say(f"found_{solved.sought}", value=formats_named(value))
        return Compared(side.name, number, said, Tone.GOOD)
    if cards and card is not None:
        return Compared(side.name, number, card.verdict, card.tone)
    holds, tone = _holds(side.shown, locale, several=side.answer.setup.world > 1)
    return Compared(side.name, number, holds, tone)


def _asked(shown: Presentation | None) -> CardRow | None:
    """Of the cards asked about the one that decides."""
    asked = [card for card in (shown.cards if shown else ()) if card.asked]
    return max(asked, key=lambda one: WORSE.index(one.tone), default=None)


def _holds(shown: Presentation, locale: Locale, *, several: bool) -> tuple[str, Tone]:
    """The verdict on the cards asked about; else the smallest class that holds it."""
    card = _asked(shown)
    if card is not None:
        return locale.say("holds_asked", card=card.name, verdict=card.verdict), card.tone
    each = "_each" if several else ""
    first = {tone: next((c for c in shown.cards if c.tone is tone), None) for tone in WORSE}
    good, close = first[Tone.GOOD], first[Tone.CLOSE]
    words = [locale.say(f"holds_tight{each}", card=close.name)] if close else []
    words += [locale.say(f"holds_from{each}", card=good.name)] if good else []
    if not words:
        return locale.say("holds_none"), Tone.BAD
    return ", ".join(words), Tone.GOOD if good else Tone.CLOSE


def _shared_assumptions(order: Sequence[Side]) -> tuple[Entry, ...]:
    """Defaults that were taken alike for each."""
    shown = [side.shown for side in order if side.shown is not None]
    first = shown[0].assumed if shown else ()
    return tuple(
        entry
        for entry in first
        if all((entry.label, entry.value) in [(e.label, e.value) for e in s.assumed] for s in shown)
    )


def _warnings(order: Sequence[Side]) -> tuple[str, ...]:
    """What is to be minded of each; its own answer says what else is."""
    said = [side.shown.warnings for side in order if side.shown is not None]
    return tuple(text for text in said[0] if all(text in other for other in said))
