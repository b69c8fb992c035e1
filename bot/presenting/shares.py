"""What each of several cards holds, where they hold unlike parts of a model."""

from collections.abc import Iterator
from itertools import groupby

from bot.locale import Locale
from bot.presenting.names import card_name
from estimator import Answer, Share, show_gib

MOST_TOLD = 6  # groups of equal cards


def shares(answer: Answer, locale: Locale) -> Iterator[str]:
    """A sentence with every card's layers and bytes; none where all cards hold the same."""
    found = answer.estimate.shares
    if not found:
        return
    parts = [
        _part(name, list(same), locale) for name, same in _alike(found, _names(answer, len(found)))
    ]
    if len(parts) > MOST_TOLD:
        more = locale.say("shares_more", count=len(parts) - MOST_TOLD)
        parts = [*parts[:MOST_TOLD], more]
    yield locale.say("shares", parts="; ".join(parts))


def _names(answer: Answer, stages: int) -> list[str]:
    """The card of each stage; nothing where all are of one kind."""
    cards = answer.setup.cards
    if len({entry.card.id for entry in cards}) == 1 or not cards:
        return [""] * stages
    places = [card_name(entry.card.name) for entry in cards for _ in range(entry.count)]
    return [places[share.card % len(places)] for share in answer.estimate.shares]


def _alike(
    found: tuple[Share, ...], names: list[str]
) -> Iterator[tuple[str, Iterator[tuple[Share, str]]]]:
    """Neighbours that hold as much, on cards of one kind."""
    pairs = zip(found, names, strict=True)
    for key, same in groupby(pairs, key=lambda one: (one[1], *_held(one[0]))):
        yield str(key[0]), same


def _held(share: Share) -> tuple[int, bool, str]:
    return share.blocks, share.head, show_gib(share.estimate.peak.bytes)


def _part(name: str, same: list[tuple[Share, str]], locale: Locale) -> str:
    """`2× RTX 3090: 27 layers, 19.8 GiB`."""
    share, cards = same[0][0], sum(one.cards for one, _ in same)
    who = ""
    if name:
        named = f"{cards}× {name}" if cards > 1 else name
        who = locale.say("shares_of", cards=named)
    elif cards > 1:
        who = locale.say("shares_each", count=cards)
    key = "share_head" if share.head else "share"
    if not share.blocks:
        key = "share_bare" if share.head else "share_nothing"
    peak = show_gib(share.estimate.peak.bytes)
    layers = locale.say("layers_one" if share.blocks == 1 else "layers", count=share.blocks)
    return locale.say(key, who=who, layers=layers, peak=peak)
