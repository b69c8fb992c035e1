"""Memory that others hold → `in_use_bytes`: `my desktop uses 1.2 GB`, `6 GB free of 8 GB`.

What is in use is taken as it is said; what is free is taken off the card that is named.
Amounts of cards are said in GB and counted in GiB, as their tools do.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from bot.reading.rooms import ROOM, SHARE, USED
from estimator import GIB, KIB, MIB, Catalog, show_gib, total_bytes

BESIDE = "beside"  # a fact: who else may hold memory
AMOUNT = compiled(r"(\d+(?:[.,]\d+)?)\s*(gib|gb|gigs?|g|mib|mb|megabytes?)?\b", re.IGNORECASE)
Wrong = Callable[..., None]


def settle_in_use(
    fields: dict[str, Any], said: Said, catalog: Catalog, locale: Locale, wrong: Wrong
) -> None:
    """What is in use of each card, and what is to be said of it."""
    used, free = said.all_of(USED), said.all_of(ROOM)
    shares = said.all_of(USED + SHARE) + said.all_of(ROOM + SHARE)
    total = _total(fields.get("gpus") or (), catalog)
    if shares and total is None:
        wrong("ambiguous", "share_of_what", words=echo(shares[0].text))
        return
    taken = sum(_bytes(fact) for fact in used)
    for fact in shares:
        part = float(fact.value) if isinstance(fact.value, (int, float)) else 0.0
        part = 1 - part if fact.field == ROOM + SHARE else part
        taken += round(part * (total or 0))
    if not used and not shares and free and total is not None:
        taken = max(0, total - _bytes(free[0]))
    taken -= taken % MIB
    if not taken:
        return
    fields["in_use_bytes"] = taken
    if shares or not used:
        words = " / ".join(dict.fromkeys(f"`{echo(f.text)}`" for f in (*used, *shares, *free)))
        said.remarks.append(locale.say("in_use_taken", words=words, amount=show_gib(taken)))


def beside_aside(said: Said, fields: Mapping[str, Any], locale: Locale) -> list[str]:
    """What a desktop holds, where one is spoken of and no amount is."""
    named = {str(fact.value) for fact in said.all_of(BESIDE)}
    notes = []
    if named & {"desktop", "windows"} and "in_use_bytes" not in fields:
        notes.append(locale.say("desktop_holds"))
    if "windows" in named:
        notes.append(locale.say("windows_spills"))
    return notes


def _total(gpus: Sequence[Mapping[str, Any]], catalog: Catalog) -> int | None:
    """What a program sees of the one kind of card that is named; of a class, of its smallest."""
    if len(gpus) != 1:
        return None
    name = str(gpus[0]["id"])
    gpu, card_class = catalog.gpus.get(name), catalog.classes.get(name)
    cards = [gpu] if gpu is not None else []
    cards += catalog.class_members(card_class) if card_class is not None else []
    return min((total_bytes(card, catalog.card_use) for card in cards), default=None)


def _bytes(fact: Fact) -> int:
    """`1.2 GB` as 1.2 GiB, `1234MiB` as it is."""
    found = AMOUNT.search(fact.text)
    if found is None:
        size = float(fact.value) if isinstance(fact.value, (int, float)) else 0.0
        return round(size * GIB)
    number = float(found[1].replace(",", "."))
    unit = (found[2] or "").casefold()
    if unit.startswith("m"):
        return round(number * MIB)
    return round(number * KIB) * MIB
