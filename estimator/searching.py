"""The largest number that has room, where room never grows with it."""

from collections.abc import Callable

Room = Callable[[int], int]


def largest(least: int, limit: int, *rooms: Room, hopeful: bool = False) -> int:
    """The largest number from `least` to `limit` for which no room is negative; 0 if none is.

    `rooms`: bytes to spare of each thing that has to fit. Each is searched below what those
    before it left, which mostly is what it leaves as well: so that is tried first. `hopeful`:
    the limit itself is, of the first.
    """
    for number, room in enumerate(rooms):
        short = room(limit) if number or hopeful else None
        if short is None or short < 0:
            limit = _largest(least, limit, room, short)
        if not limit:
            return 0
    return limit


def _largest(least: int, limit: int, room: Room, short: int | None) -> int:
    """The same of one thing; `short`: its room at the limit, where that is known to be none.

    Most of memory is a straight line, so every other guess lies on the one between the two
    ends, and the rest halve. No guess is trusted: the number returned was tried and has room,
    and so was the next one, which has not. Where room grows now and then (llama.cpp's plan of
    its compute buffer, by about one percent), it is one such number.
    """
    low, spare = least, room(least)
    if spare < 0:
        return 0
    high, short = limit, room(limit) if short is None else short
    if short >= 0:
        return limit
    straight = True
    while high - low > 1:
        middle = low + spare * (high - low) // (spare - short) if straight else (low + high) // 2
        middle = min(max(middle, low + 1), high - 1)
        width = high - low
        found = room(middle)
        if found >= 0:
            low, spare = middle, found
        else:
            high, short = middle, found
        straight = not straight or 2 * (high - low) <= width
    return low
