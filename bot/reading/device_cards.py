"""Devices that a line names → cards of the table: `laptop 4090`, `mac studio 192gb`, `m2 16gb`.

A Mac said by its memory is its newest chip of that much, since Apple's chips of one size lend
a GPU as much. What no table has is refused by its name.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz import fuzz, process

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.devices import BRAND, CHIP, DEVICE, LAPTOP, MAC, UNKNOWN_CARD
from bot.reading.facts import CardsSaid, Fact, NotUnderstoodError, Said, Unread
from estimator import Catalog, Gpu, key_of, total_bytes

ANY_GRADE = ("", "pro", "max", "ultra")
GRADES_OF = {  # of the chips that each Mac comes with
    "macbook air": ("",),
    "macbook pro": ("", "pro", "max"),
    "mbp": ("", "pro", "max"),
    "mac mini": ("", "pro"),
    "mac studio": ("max", "ultra"),
    "mac pro": ("ultra",),
    "imac": ("",),
}
CLOSE_ENOUGH = 72  # rapidfuzz similarity (0 to 100) from which a card is offered
MOST_NAMES = 3  # cards that are offered

_GEFORCE = compiled(
    r"(?:(?:rtx|gtx)[ -])?(?P<number>\d{4})(?P<more>(?:[ -](?:ti|super))*)(?:-\d+gb)?"
)
_CHIP_ID = compiled(r"apple-m\d+(?:-(?P<grade>pro|max|ultra))?-\d+gb")
_SIZE = compiled(r"\s*(?<![\d.])[\d.]+\s*gb$", re.IGNORECASE)


def settle_devices(said: Said, catalog: Catalog, locale: Locale) -> None:
    """Devices of the table become its cards; the first of any other becomes a fault."""
    devices = [fact for fact in said.facts if fact.field == DEVICE]
    if not devices:
        return
    said.facts[:] = [fact for fact in said.facts if fact.field != DEVICE]
    laptops = [fact for fact in devices if fact.whole == LAPTOP]
    others = [fact for fact in devices if fact.whole != LAPTOP]
    apple = [fact for fact in said.facts if _is_apple(fact, catalog)]
    if apple or any(fact.whole == CHIP for fact in others):
        _lend_size(apple, [fact for fact in others if fact.whole == MAC], said)
        macs = [fact for fact in others if fact.whole == MAC]
        others = [fact for fact in others if fact.whole != MAC]
        if len(macs) == len(apple) + len(others) == 1:
            said.facts[:] = [_as_many(fact, macs[0], apple) for fact in said.facts]
            others = [_as_many(fact, macs[0], others) for fact in others]
    for fact in others:
        _settle(fact, _sizes_of(devices), said, catalog, locale)
    if laptops and not others:
        _settle_laptop(laptops[0], said, catalog, locale)


def _as_many(fact: Fact, mac: Fact, chips: Sequence[Fact]) -> Fact:
    """`2x mac studio m3 ultra`: as many chips as Macs."""
    own, macs = fact.value, mac.value
    if fact not in chips or not isinstance(own, CardsSaid) or not isinstance(macs, CardsSaid):
        return fact
    return replace(fact, value=replace(own, count=max(own.count, macs.count)))


def _lend_size(chips: Sequence[Fact], macs: Sequence[Fact], said: Said) -> None:
    """`m3 max macbook pro 64gb`: the memory said of the Mac is the chip's."""
    size = _sizes_of(macs)
    if len(chips) != 1 or size is None:
        return
    chip = chips[0].value
    if isinstance(chip, CardsSaid) and chip.gigabytes is None:
        place = said.facts.index(chips[0])
        said.facts[place] = replace(chips[0], value=replace(chip, gigabytes=size))


def _sizes_of(devices: Iterable[Fact]) -> float | None:
    """The memory that was said of any of the devices: `m1 macbook 16gb`."""
    sizes = [f.value.gigabytes for f in devices if isinstance(f.value, CardsSaid)]
    return next((size for size in sizes if size is not None), None)


def _settle(fact: Fact, beside: float | None, said: Said, catalog: Catalog, locale: Locale) -> None:
    device = fact.value
    if not isinstance(device, CardsSaid):
        return
    apart = [f for f in _classes(said) if isinstance(f.value, CardsSaid)]
    size = device.gigabytes or beside
    if size is None and apart and isinstance(apart[0].value, CardsSaid):
        size = apart[0].value.gigabytes
    said.facts[:] = [f for f in said.facts if f not in apart]
    name = device.name if size is None else f"{device.name} {size:g}GB"
    rows = _rows_for(fact.whole, device.name, size, catalog)
    if len({total_bytes(row, catalog.card_use) for row in rows}) == 1:
        said.facts.append(Fact("gpus", CardsSaid(device.count, rows[0].id), fact.text))
        said.corrections.append((name, rows[0].id))
        return
    of_chip = _of_chip(device.name, catalog) if fact.whole == CHIP and size is None else []
    near = [row.id for row in rows or of_chip] or list(_near(fact.whole, name, size, catalog))
    said.faults.append(_unknown(name, near, locale, several=len(rows or of_chip) > 1))


def _rows_for(kind: str, name: str, size: float | None, catalog: Catalog) -> list[Gpu]:
    """The cards that a device may be: a chip of that size, a Mac of that memory; newest first."""
    if kind == CHIP and size is not None:
        row = catalog.gpus.get(f"{_chip(name)} {size:g}gb")
        return [] if row is None else [row]
    if kind == MAC and size is not None:
        grades = GRADES_OF.get(name.casefold(), ANY_GRADE)
        rows = [row for row in _apple(catalog) if row.memory_gb == size and _grade(row) in grades]
        return sorted(rows, key=lambda row: row.microarchitecture.id, reverse=True)
    return []


def _chip(name: str) -> str:
    """`m1 max` of `Apple M1 Max`."""
    return _SIZE.sub("", name).casefold().removeprefix("apple").strip()


def _of_chip(name: str, catalog: Catalog) -> list[Gpu]:
    """The sizes that a chip comes in: `m4`, but not of `m4 pro`."""
    chip = f"apple-{_chip(name).replace(' ', '-')}"
    return [row for row in _apple(catalog) if row.id == f"{chip}-{row.memory_gb}gb"]


def _grade(row: Gpu) -> str:
    """The max of `apple-m1-max-64gb`; nothing of a plain chip."""
    match = _CHIP_ID.fullmatch(row.id)
    return (match["grade"] or "") if match else ""


def _near(kind: str, name: str, size: float | None, catalog: Catalog) -> Sequence[str]:
    """Cards that come close to what no table has: of a Mac those of like memory."""
    if kind in (CHIP, MAC):
        same = _of_chip(name, catalog) if kind == CHIP else []
        rows = same or sorted(_apple(catalog), key=lambda row: abs(row.memory_gb - (size or 0)))
        return [row.id for row in rows[:MOST_NAMES]]
    if kind in (BRAND, UNKNOWN_CARD):
        known = catalog.gpus.by_key
        plain = key_of(_SIZE.sub("", name))
        like = process.extract(plain, known.keys(), scorer=fuzz.ratio, score_cutoff=CLOSE_ENOUGH)
        return list(dict.fromkeys(known[key].id for key, _, _ in like))
    return ()


def _settle_laptop(fact: Fact, said: Said, catalog: Catalog, locale: Locale) -> None:
    """`laptop 4090` is its own card; a laptop's memory alone is none."""
    cards = [f for f in said.facts if f.field == "gpus"]
    named = [f for f in cards if isinstance(f.value, CardsSaid) and _GEFORCE.match(f.value.name)]
    whole = any(isinstance(f.value, CardsSaid) and "laptop" in f.value.name for f in named)
    of_card = any(f.field == "vram" for f in said.facts) or "gpu" in fact.text.casefold()
    sizes = [] if of_card else _classes(said)
    if whole:
        return
    if len(named) == 1:
        _settle_card(named[0], said, catalog, locale)
    elif sizes and len(sizes) == len(cards):
        said.facts[:] = [f for f in said.facts if f not in sizes]
        said.faults.append(_unknown(fact.text, (), locale))
    else:
        said.unread.append(Unread(fact.text))


def _settle_card(card: Fact, said: Said, catalog: Catalog, locale: Locale) -> None:
    """The laptop's card of that name, whose memory is its own; in two sizes, a word for both."""
    value = card.value
    found = _GEFORCE.match(value.name) if isinstance(value, CardsSaid) else None
    if not isinstance(value, CardsSaid) or found is None:
        return
    word = f"{found['number']}{found['more'].replace('-', ' ')} laptop"
    row = catalog.gpus.get(word)
    name = row.id if row else word if catalog.cards_sharing(word) else None
    said.facts[:] = [fact for fact in said.facts if fact is not card]
    if name is None:
        laptops = [gpu for gpu in catalog.gpus.rows if gpu.id.endswith("-laptop")]
        like = [gpu.id for gpu in laptops if gpu.id.split("-")[1] == found["number"]]
        said.faults.append(_unknown(f"{card.text} laptop", like, locale))
        return
    said.facts.append(Fact("gpus", replace(value, name=name, bare=False), card.text))
    said.corrections.append((f"{card.text} laptop", name))


def _classes(said: Said) -> list[Fact]:
    """Sizes without a card's name and without a count."""
    cards = [f for f in said.facts if f.field == "gpus" and isinstance(f.value, CardsSaid)]
    return [
        f for f in cards if isinstance(f.value, CardsSaid) and not (f.value.name or f.value.counted)
    ]


def _is_apple(fact: Fact, catalog: Catalog) -> bool:
    if not isinstance(fact.value, CardsSaid) or not fact.value.name:
        return False
    row = catalog.gpus.get(fact.value.name)
    rows = (row,) if row else catalog.cards_sharing(fact.value.name)
    return any(gpu.vendor == "apple" for gpu in rows)


def _apple(catalog: Catalog) -> list[Gpu]:
    return [row for row in catalog.gpus.rows if row.vendor == "apple"]


def _unknown(
    name: str, near: Sequence[str], locale: Locale, *, several: bool = False
) -> NotUnderstoodError:
    closest = ", ".join(f"`{card}`" for card in near[:MOST_NAMES])
    sentence = "which_device" if several else "unknown_card_closest" if near else "unknown_card"
    message = locale.say_wrong(sentence, name=echo(name), closest=closest)
    code = "ambiguous" if several else "unknown_name"
    return NotUnderstoodError(code, message, field="gpus", names=list(near[:MOST_NAMES]))
