"""Cards while they are typed: a count before or behind, several of them, the last one open."""

import re
from collections.abc import Callable, Iterator

from bot.compiled import compiled
from bot.reading.matching import Index, Tier

USUAL_COUNTS = (2, 4, 8)  # cards of a machine, where `4090x` leaves their number open
MOST_CARDS = 8  # kinds of cards in one entry

_LEADING = compiled(r"(\d{1,4}) ?(x) ?(.*)", re.IGNORECASE)
_BARE = compiled(r"(\d{1,4}) (.+)")
_TRAILING = compiled(r"(.+?) ?x ?(\d{0,4})", re.IGNORECASE)
_CLASS = compiled(r"\d+GB")


def several_cards(
    typed: str, index: Index, readable: Callable[[str], bool], most: int
) -> list[str]:
    """The cards that `typed` may become; of several, the last is completed, the others kept."""
    *others, last = _parts(typed, index)
    if not others:
        return cards_for(last, index, most)
    kept = [_kept(part, index, readable) for part in others if part]
    if None in kept or not 0 < len(kept) <= MOST_CARDS:
        return []
    head = ", ".join(filter(None, kept))
    return [f"{head}, {counted_class(card)}" for card in cards_for(last, index, most)]


def cards_for(typed: str, index: Index, most: int, *, slips: bool = True) -> list[str]:
    """`2x 30`, `2 30`, `3090 x2`, `rtx 30`: cards with their count; the usual ones for nothing.

    A number counts only where a card follows or precedes, so `7900 xt` counts nothing.
    """
    if not typed:
        return list(index.values[:most])
    whole = index.find(typed)
    if whole and whole[0].tier <= Tier.BEGINS:
        return [found.value for found in whole]
    counted = list(_counted(typed, index, most))
    if counted or not slips:
        return counted
    return [found.value for found in (*whole, *index.like(typed, most))]


def _counted(typed: str, index: Index, most: int) -> Iterator[str]:
    leading = _LEADING.fullmatch(typed) or _BARE.fullmatch(typed)
    if leading is not None and int(leading[1]) and not _is_card(leading[1], index):
        name, times = leading[leading.lastindex or 0], leading.re.pattern == _LEADING.pattern
        found = index.find(name, Tier.TOKENS if times else Tier.BEGINS)
        if times and name and not found:
            found = index.like(name, most)
        names = [one.value for one in found] or (index.values[:most] if not name else ())
        yield from (f"{int(leading[1])}x {one}" for one in names)
        return
    trailing = _TRAILING.fullmatch(typed)
    if trailing is None:
        return
    names = [one.value for one in index.find(trailing[1], Tier.BEGINS)]
    if trailing[2]:
        yield from (f"{int(trailing[2])}x {one}" for one in names if int(trailing[2]))
    else:
        yield from (f"{count}x {names[0]}" for count in USUAL_COUNTS if names)


def _is_card(number: str, index: Index) -> bool:
    """Whether a number is a card's whole name: 4090 counts nothing."""
    found = index.find(number, Tier.EXACT)
    return bool(found)


def _parts(typed: str, index: Index) -> list[str]:
    """Parts between `,` and `+`, the last one open; the plus of a name parts nothing."""
    plus = "" if index.find(typed, Tier.BEGINS) else "+"
    return [part.strip() for part in re.split(f"[,{plus}]", typed)]


def _kept(part: str, index: Index, readable: Callable[[str], bool]) -> str | None:
    """One of several cards as typed, where it can be read; else the card it may become."""
    found = cards_for(part, index, 1, slips=False)
    if found and _CLASS.fullmatch(found[0]):
        return counted_class(found[0])
    if _is_card(part, index) or (readable(part) and not part.isdecimal()):
        return part
    return found[0] if found else None


def counted_class(card: str) -> str:
    """A class beside other cards is counted, so that it is not taken for their size."""
    return f"1x {card}" if _CLASS.fullmatch(card) else card
