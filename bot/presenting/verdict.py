"""The first sentence: yes, tight, probably not, or no; and the rows of the card table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.locale import Locale
from bot.presenting.names import card_name, card_names
from bot.presenting.presentation import CardRow, Tone
from estimator import Answer, CardFit, Catalog, Verdict, show_gb, show_gib

MOST_EXAMPLES = 3
MOST_SHORT, MOST_ROOMY = 2, 4  # classes shown below and above the point where it fits


class Grade(StrEnum):
    """A verdict as it is said: a tight card may be more likely to fail than to hold."""

    FITS = "fits"
    TIGHT = "tight"  # the estimate goes in, its high end does not
    UNLIKELY = "unlikely"  # only the low end does
    NO = "no"


TONES: Mapping[Grade, Tone] = {
    Grade.FITS: Tone.GOOD,
    Grade.TIGHT: Tone.CLOSE,
    Grade.UNLIKELY: Tone.BAD,
    Grade.NO: Tone.BAD,
}


def grade(card: CardFit) -> Grade:
    """How the verdict on `card` is said."""
    if card.verdict is Verdict.TIGHT and card.gap_bytes > 0:
        return Grade.UNLIKELY
    return Grade(card.verdict.value)


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict twice: in a few words, and as sentences that name cards."""

    tone: Tone
    short: str
    whole: str


def headline(answer: Answer, catalog: Catalog, locale: Locale) -> Headline:
    """For the cards asked about, yes or no; else the smallest class that holds it."""
    peak = answer.estimate.peak.bytes
    sizes = {"peak": show_gib(peak), "peak_gb": show_gb(peak)}
    asked = [card for card in answer.cards if card.asked]
    if asked:
        return _of_asked(max(asked, key=lambda card: card.gap_bytes), sizes, locale)
    return _of_classes(answer.cards, sizes, catalog, locale)


def _of_asked(card: CardFit, sizes: Mapping[str, str], locale: Locale) -> Headline:
    several = card.count > 1
    found = grade(card)
    values = {
        "usable": show_gib(card.usable_bytes),
        "gap": show_gib(max(0, card.gap_bytes)),
        **sizes,
    }
    whole, short = card.name, card_name(card.name)
    if several:
        whole, short = (locale.say("each", count=card.count, card=name) for name in (whole, short))
    return Headline(
        TONES[found],
        locale.say(f"short_asked_{found}", card=short, **values),
        locale.say(f"asked_{found}", card=whole, **values),
    )


def _of_classes(
    cards: Sequence[CardFit], sizes: Mapping[str, str], catalog: Catalog, locale: Locale
) -> Headline:
    count = cards[0].count
    kind = "verdict" if count == 1 else "each"
    held = [card for card in cards if grade(card) in (Grade.FITS, Grade.TIGHT)]
    values: dict[str, object] = {"count": count, **sizes}
    if not held:
        return Headline(
            Tone.BAD,
            locale.say(f"short_{kind}_none", **values),
            locale.say(f"{kind}_none", **values),
        )
    best, found = held[0], grade(held[0])
    values |= {"card": best.name, "examples": _examples(best, catalog)}
    short = locale.say(f"short_{kind}_{found}", **values)
    whole = locale.say(f"{kind}_{found}", **values)
    roomy = next((card for card in held if card.verdict is Verdict.FITS), None)
    if found is Grade.TIGHT and roomy is not None:
        examples = _examples(roomy, catalog)
        short += locale.say("short_next", card=roomy.name)
        whole += " " + locale.say("verdict_next", card=roomy.name, examples=examples)
    return Headline(TONES[found], short, whole)


def card_rows(answer: Answer, catalog: Catalog, locale: Locale) -> tuple[CardRow, ...]:
    """The cards asked about, and the classes around the point where it begins to fit."""
    return tuple(_row(card, catalog, locale) for card in _shown(answer))


def cards_note(answer: Answer, locale: Locale) -> str:
    """What the verdicts mean that are neither yes nor no, where one is given."""
    given = {grade(card) for card in _shown(answer)}
    said = [locale.say(f"means_{one}") for one in (Grade.TIGHT, Grade.UNLIKELY) if one in given]
    return f"{'; '.join(said)}." if said else ""


def _shown(answer: Answer) -> list[CardFit]:
    """Cards asked about first. Several that fit have their answer; those that don't, the next."""
    asked = [card for card in answer.cards if card.asked]
    classes = [card for card in answer.cards if not card.asked]
    short = [card for card in classes if card.verdict is Verdict.NO]
    tight = [card for card in classes if card.verdict is Verdict.TIGHT]
    roomy = [card for card in classes if card.verdict is Verdict.FITS]
    if asked and answer.setup.world > 1:
        held = all(card.verdict is Verdict.FITS for card in asked)
        return [*asked, *([] if held else [*tight, *roomy[:1]])]
    return [*asked, *short[-MOST_SHORT:], *tight, *roomy[:MOST_ROOMY]]


def _row(card: CardFit, catalog: Catalog, locale: Locale) -> CardRow:
    usable, found = show_gib(card.usable_bytes), grade(card)
    if card.members:
        detail = _members(card, locale)
    elif card.gap_bytes > 0:
        detail = locale.say("card_short", usable=usable, gap=show_gib(card.gap_bytes))
    else:
        detail = locale.say("card_room", usable=usable)
    return CardRow(
        name=f"{card.count}× {card_name(card.name)}" if card.count > 1 else card_name(card.name),
        verdict=locale.reply.verdicts[found],
        tone=TONES[found],
        examples=_examples(card, catalog),
        detail=detail,
        asked=card.asked,
        mixed=bool(card.members),
    )


def _members(card: CardFit, locale: Locale) -> str:
    """Which members of a class hold it, where they differ."""
    groups = []
    for verdict in Verdict:
        names = [card_name(name) for name, found in card.members.items() if found is verdict]
        if names:
            groups.append(f"{locale.reply.verdicts[verdict]}: {', '.join(names)}")
    return "; ".join(groups)


def _examples(card: CardFit, catalog: Catalog) -> str:
    card_class = catalog.classes.get(card.id)
    if card_class is None:
        return ""
    return ", ".join(card_names(catalog.class_members(card_class))[:MOST_EXAMPLES])
