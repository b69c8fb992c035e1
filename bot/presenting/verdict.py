"""The first sentence: yes, tight, probably not, or no; or from which card on it fits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.locale import Locale
from bot.presenting.card_rows import (
    examples_of,
    is_by_processor,
    names_by_grade,
    said_of_members,
)
from bot.presenting.grades import HOLDING, TONES, Grade, grade
from bot.presenting.names import card_name, formats_named
from bot.presenting.presentation import Tone
from bot.presenting.sentences import open_ended
from estimator import Answer, CardFit, Catalog, Solved, Verdict, host_lines, show_gb, show_gib

Values = Mapping[str, object]


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
    if asked and answer.solved is not None:
        return _of_solved(answer.solved, asked, sizes, locale)
    if asked:
        return _of_asked(asked, sizes, locale)
    if is_by_processor(answer):
        return _of_processor(answer, locale)
    return _of_classes(answer.cards, sizes, catalog, locale)


def _of_processor(answer: Answer, locale: Locale) -> Headline:
    """No card is asked about and none is needed: what the machine's own memory holds."""
    host = show_gib(sum(line.bytes for line in host_lines(answer.setup)))
    said = (locale.say(f"{kind}processor", host=host) for kind in ("short_", ""))
    return Headline(Tone.GOOD, *said)


def _of_asked(asked: Sequence[CardFit], sizes: Values, locale: Locale) -> Headline:
    """The card with the least room decides; cards of several kinds are named together.

    What is said of it is its own need; of all of them in a few words, the fullest one's.
    """
    card = max(asked, key=lambda one: one.gap_bytes)
    found = grade(card)
    values = {
        "usable": show_gib(card.usable_bytes),
        "gap": show_gib(max(0, card.gap_bytes)),
        "members": said_of_members(card, locale),
    }
    if len(asked) == 1 and card.count > 1 and found is Grade.DEPENDS:
        some = {"card": card_name(card.name), "count": card.count, **values, **sizes}
        said = (locale.say(f"{kind}_depends_each", **some) for kind in ("short_asked", "asked"))
        return Headline(TONES[found], *said)
    own = {"peak": show_gib(card.needed_bytes), "peak_gb": show_gb(card.needed_bytes)}
    short = locale.say(
        f"short_asked_{found}", card=_named(card, asked, locale, card_name), **values, **sizes
    )
    alike = len({one.needed_bytes for one in asked}) == 1
    if len(asked) > 1:
        short += locale.say("short_on_each" if alike else "short_on_fullest")
    name = locale.say("one_of", card=card.name, cards=_together(asked, str))
    if len(asked) == 1:
        name = _named(card, asked, locale, str)
    return Headline(TONES[found], short, locale.say(f"asked_{found}", card=name, **values, **own))


def _of_solved(solved: Solved, asked: Sequence[CardFit], sizes: Values, locale: Locale) -> Headline:
    """The most that was found, and of what."""
    key = f"solved_{solved.sought}{'_bound' if solved.bound else ''}"
    several = len(asked) > 1 or asked[0].count > 1
    values: dict[str, object] = {
        "value": said_value(solved.value),
        "holds": locale.say("holds_several" if several else "holds_one"),
        "each": locale.say("short_on_each") if several else "",
        **sizes,
    }
    names = (_together(asked, name) for name in (card_name, str))
    short, whole = (locale.say(key, card=name, **values) for name in names)
    return Headline(Tone.GOOD, open_ended(short), whole)


def said_value(value: int | str) -> str:
    """What was found, as people write it."""
    return f"{value:,}" if isinstance(value, int) else formats_named(value)


def _together(asked: Sequence[CardFit], name: Callable[[str], str]) -> str:
    return " + ".join(f"{c.count}× {name(c.name)}" if c.count > 1 else name(c.name) for c in asked)


def _named(
    fullest: CardFit, asked: Sequence[CardFit], locale: Locale, name: Callable[[str], str]
) -> str:
    """`RTX 3090`, `each of 2× RTX 3090`; of several kinds all, and which of them is too small."""
    if len(asked) == 1:
        (card,) = asked
        if card.count == 1:
            return name(card.name)
        return locale.say("each", count=card.count, card=name(card.name))
    cards = _together(asked, name)
    if grade(fullest) in HOLDING:
        return locale.say("together", cards=cards)
    return locale.say("one_of", card=name(fullest.name), cards=cards)


def _of_classes(
    cards: Sequence[CardFit], sizes: Values, catalog: Catalog, locale: Locale
) -> Headline:
    """The smallest class that holds it; before it, one of which some cards do."""
    count = cards[0].count
    kind = "verdict" if count == 1 else "each"
    held = next((card for card in cards if grade(card) in HOLDING), None)
    roomy = next((card for card in cards if card.verdict is Verdict.FITS), None)
    some = next((card for card in cards if _some_hold(card)), None)
    values: dict[str, object] = {"count": count, **sizes}
    if some is not None and (held is None or cards.index(some) < cards.index(held)):
        values |= {"card": some.name, "examples": ", ".join(names_by_grade(some)[Grade.FITS])}
        said = Headline(
            Tone.CLOSE,
            locale.say(f"short_{kind}_some", **values),
            locale.say(f"{kind}_some", **values),
        )
        return _going_on(said, "any", roomy, catalog, locale)
    if held is None:
        near = grade(cards[-1]) is Grade.UNLIKELY
        key = f"{kind}_unlikely" if near else f"{kind}_none"
        values["card"] = cards[-1].name
        return Headline(Tone.BAD, locale.say(f"short_{key}", **values), locale.say(key, **values))
    found = grade(held)
    values |= {"card": held.name, "examples": examples_of(held, catalog)}
    said = Headline(
        TONES[found],
        locale.say(f"short_{kind}_{found}", **values),
        locale.say(f"{kind}_{found}", **values),
    )
    return said if found is Grade.FITS else _going_on(said, "next", roomy, catalog, locale)


def _going_on(
    said: Headline, key: str, roomy: CardFit | None, catalog: Catalog, locale: Locale
) -> Headline:
    """The headline with the smallest class that holds it for sure, if one does."""
    if roomy is None:
        return said
    values = {"card": roomy.name, "examples": examples_of(roomy, catalog)}
    return Headline(
        said.tone,
        said.short + locale.say(f"short_{key}", **values),
        f"{said.whole} {locale.say(f'verdict_{key}', **values)}",
    )


def _some_hold(card: CardFit) -> bool:
    """Whether some cards of a class hold it for sure, and others may not."""
    return grade(card) is Grade.DEPENDS and Grade.FITS in names_by_grade(card)
