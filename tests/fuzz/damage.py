"""Damaged payloads: what Discord should not send, made of what it does send."""

import copy
from random import Random
from typing import Any

Json = dict[str, Any]

KEPT = {"id", "token", "type", "application_id", "guild_id"}  # at the top: who can be answered
MOST_CHANGES = 3  # to one payload
LONG = 70_000  # characters: more than Discord lets anybody write
DEEP = 60  # lists within lists


def damaged(whole: Json, random: Random) -> Json:
    """`whole` with some of it missing, doubled, or something else; it can still be answered."""
    made = copy.deepcopy(whole)
    for _ in range(random.randint(1, MOST_CHANGES)):
        places = [one for one in _places(made, ()) if one[0] not in KEPT or len(one) > 1]
        if places:
            _change(made, random.choice(places), random)
    return made


def _places(value: object, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Where something stands, by the keys that lead there."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [p for key, part in inside for p in ((*path, key), *_places(part, (*path, key)))]


def _change(made: Json, path: tuple[Any, ...], random: Random) -> None:
    *above, last = path
    holder: Any = made
    for key in above:
        holder = holder[key]
    match random.randrange(4):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case 1:
            holder[f"{last}_"] = holder[last]
        case 2:
            holder[last] = _like(holder[last], random)
        case _:
            holder[last] = _any(random)


def _like(value: object, random: Random) -> object:
    """Another of the same kind, at the ends of what it can be."""
    match value:
        case bool():
            return not value
        case int():
            return random.choice([-1, 0, value + 1, 2**31, 2**63, 2**64, 10**30])
        case str():
            return random.choice(["", value[:-1], value * 2, "x" * LONG, "\0", "\ud800", "0", "-1"])
        case list():
            return random.choice([[], value * 2, [None], value[::-1]])
        case dict():
            return random.choice([{}, {"id": "1"}, {str(key): None for key in value}])
    return _any(random)


def _any(random: Random) -> object:
    """Anything that JSON can hold."""
    nested: object = "x"
    for _ in range(DEEP):
        nested = [nested]
    return random.choice(
        [None, True, 0, -1, 2**53, 1.5, 1e308, "", "x", "١", "<@1>", [], [1, "x"], {}, nested]
    )
