"""The table of cards: those asked about, and the classes around where it begins to fit."""

from collections.abc import Mapping

from bot.locale import Locale
from bot.presenting.grades import TONES, Grade, grade, member_grades
from bot.presenting.names import card_name, card_names
from bot.presenting.presentation import CardRow
from bot.presenting.sentences import ended
from estimator import Answer, CardFit, Catalog, ServeRequest, Verdict, show_gib

MOST_EXAMPLES = 3
MOST_SHORT, MOST_ROOMY = 2, 4  # classes shown below and above the point where it fits
EXPLAINED = (Grade.TIGHT, Grade.UNLIKELY)


def card_rows(answer: Answer, catalog: Catalog, locale: Locale) -> tuple[CardRow, ...]:
    """Cards asked about first, then classes, smallest first."""
    shown = _shown(answer)
    needs = len({card.needed_bytes for card in shown if card.asked}) > 1
    return tuple(_row(card, catalog, locale, needs=needs and card.asked) for card in shown)


def is_by_processor(answer: Answer) -> bool:
    """Whether no layer is on a card, and no card was named."""
    request = answer.request
    asked = any(card.asked for card in answer.cards)
    return isinstance(request, ServeRequest) and request.gpu_layers == 0 and not asked


def cards_note(answer: Answer, locale: Locale) -> str:
    """What the verdicts mean that are neither yes nor no, where one is given."""
    shown = _shown(answer)
    given = {grade(card) for card in shown}
    given |= {
        found
        for card in shown
        if grade(card) is Grade.DEPENDS
        for found in member_grades(card).values()
    }
    said = [locale.say(f"means_{one}") for one in EXPLAINED if one in given]
    return ended("; ".join(said), locale)


def examples_of(card: CardFit, catalog: Catalog) -> str:
    """A few cards of a class."""
    card_class = catalog.classes.get(card.id)
    if card_class is None:
        return ""
    return ", ".join(card_names(catalog.class_members(card_class))[:MOST_EXAMPLES])


def names_by_grade(card: CardFit) -> Mapping[Grade, list[str]]:
    """The cards of a class by what is said of them, the best first."""
    found: dict[Grade, list[str]] = {one: [] for one in Grade}
    for name, one in member_grades(card).items():
        found[one].append(card_name(name))
    return {one: names for one, names in found.items() if names}


def said_of_members(card: CardFit, locale: Locale) -> str:
    """`yes: RTX 3090, RTX 4090; no: L4`."""
    return "; ".join(
        f"{locale.reply.verdicts[found]}: {', '.join(names)}"
        for found, names in names_by_grade(card).items()
    )


def _shown(answer: Answer) -> list[CardFit]:
    """Several cards that hold it have their answer; beside those that don't stands what would.

    None where no layer is on a card.
    """
    if is_by_processor(answer):
        return []
    asked = [card for card in answer.cards if card.asked]
    classes = [card for card in answer.cards if not card.asked]
    short = [card for card in classes if card.verdict is Verdict.NO]
    tight = [card for card in classes if card.verdict is Verdict.TIGHT]
    roomy = [card for card in classes if card.verdict is Verdict.FITS]
    if asked and answer.setup.world > 1:
        if all(card.verdict is Verdict.FITS for card in asked):
            return asked
        return [*asked, *([*tight, *roomy[:1]] or classes[-1:])]
    return [*asked, *short[-MOST_SHORT:], *tight, *roomy[:MOST_ROOMY]]


def _row(card: CardFit, catalog: Catalog, locale: Locale, *, needs: bool) -> CardRow:
    found = grade(card)
    return CardRow(
        name=f"{card.count}× {card_name(card.name)}" if card.count > 1 else card_name(card.name),
        verdict=locale.reply.verdicts[found],
        tone=TONES[found],
        examples=examples_of(card, catalog),
        detail=_detail(card, locale, needs=needs),
        asked=card.asked,
        mixed=grade(card) is Grade.DEPENDS,
    )


def _detail(card: CardFit, locale: Locale, *, needs: bool) -> str:
    """The room that is left or lacking; of a class whose cards differ, which hold it.

    `needs`: what is needed of it is said too, since cards need unlike amounts.
    """
    if grade(card) is Grade.DEPENDS:
        return said_of_members(card, locale)
    usable = show_gib(card.usable_bytes)
    kind = "class" if card.members else "card"
    if needs:
        key, needed = "card_needs", show_gib(card.needed_bytes)
        if card.gap_bytes > 0:
            gap = show_gib(card.gap_bytes)
            return locale.say(f"{key}_short", needed=needed, usable=usable, gap=gap)
        return locale.say(key, needed=needed, usable=usable)
    if card.gap_bytes > 0:
        return locale.say(f"{kind}_short", usable=usable, gap=show_gib(card.gap_bytes))
    return locale.say(f"{kind}_room", usable=usable)
