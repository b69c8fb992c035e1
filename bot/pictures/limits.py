"""Which cards a picture shows: those asked about, and where the verdict turns."""

from collections.abc import Iterator, Sequence

from bot.locale import Locale
from bot.pictures.picture import Bar, Limit
from bot.presenting.grades import grade
from bot.presenting.names import card_name
from estimator import Answer, CardFit, Verdict, show_gib_number

MOST_CARDS = 5


def limits_of(cards_of_each: Sequence[Sequence[CardFit]], bars: Sequence[Bar]) -> tuple[Limit, ...]:
    """Lines at what cards leave usable, the most telling first.

    `cards_of_each`: the cards of each answer that the bars show, the least first. Of one: cards
    asked about, the classes on both sides of where it fits, and what the longest bar goes into.
    Of several: cards asked about, and the smallest class that holds each.
    """
    asked = [card for cards in cards_of_each for card in cards if card.asked]
    holding = [_turn(cards)[0][:1] for cards in cards_of_each]
    chosen = [*asked, *holding[-1], *(card for found in holding for card in found)]
    if len(cards_of_each) == 1:
        (cards,) = cards_of_each
        longest = max((bar.bytes for bar in bars), default=0)
        beyond = [c for c in cards if not c.asked and c.usable_bytes >= longest]
        chosen += [*_turn(cards)[1][:1], *beyond[:1]]
    return tuple(dict.fromkeys(Limit(_name(one), one.usable_bytes) for one in chosen))


def rooms_of(answer: Answer, locale: Locale) -> tuple[Bar, ...]:
    """Cards as bars as long as what they leave usable, the smallest first."""
    chosen = sorted([*_near(answer.cards)][:MOST_CARDS], key=lambda card: card.usable_bytes)
    return tuple(
        Bar(
            name=_name(card),
            amount=locale.pictures.sentences["room"].format(
                amount=show_gib_number(card.usable_bytes),
                verdict=locale.reply.verdicts[grade(card)],
            ),
            room_bytes=card.usable_bytes,
            strong=card.asked,
        )
        for card in chosen
    )


def _near(cards: Sequence[CardFit]) -> Iterator[CardFit]:
    """Cards asked about, then by turns the smallest that hold it and the largest that do not."""
    yield from (card for card in cards if card.asked)
    holding, short = _turn(cards)
    for place in range(max(len(holding), len(short))):
        yield from holding[place : place + 1]
        yield from short[place : place + 1]


def _turn(cards: Sequence[CardFit]) -> tuple[list[CardFit], list[CardFit]]:
    """Classes that hold it, the smallest first; and those that do not, the largest first."""
    others = [card for card in cards if not card.asked]
    holding = [card for card in others if card.verdict is Verdict.FITS]
    short = [card for card in reversed(others) if card.verdict is not Verdict.FITS]
    return holding, short


def _name(card: CardFit) -> str:
    name = card_name(card.name)
    return f"{card.count}× {name}" if card.count > 1 and card.asked else name
