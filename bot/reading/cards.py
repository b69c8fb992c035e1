"""Cards as people say them → cards of the table: a count, a name, a size on the box."""

from collections.abc import Iterable, Mapping

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.facts import CardsSaid, NotUnderstoodError
from estimator import GB, GIB, MIB, Catalog, Gpu

_ENDING = compiled(r"-\d+gb$")  # of ids of cards in several sizes


def cards_of(
    said: Iterable[CardsSaid], catalog: Catalog, locale: Locale, *, strict: bool
) -> list[dict[str, object]]:
    """The request's `gpus`.

    Not `strict` (a sentence): an amount of memory that no card has is no card.
    """
    return [
        _one(entry, catalog, locale) for entry in said if strict or not is_amount(entry, catalog)
    ]


def is_amount(said: CardsSaid, catalog: Catalog) -> bool:
    """Whether a size without a name is that of no usual class: memory, and not a card."""
    if said.name:
        return False
    row = catalog.classes.get(f"{said.gigabytes:g}gb")
    return row is None or not (row.listed or said.counted)


def is_host_memory(said: CardsSaid, catalog: Catalog) -> bool:
    """Whether RAM said behind a card is the host's: of `4090 64GB RAM`, not of a Mac's."""
    return said.as_ram and _of_size(said, catalog) is None


def _of_size(said: CardsSaid, catalog: Catalog) -> Gpu | None:
    """The card of that name and that size; none if it does not come in it.

    A name that alone means the usual size (`3060`) also means another beside that.
    """
    named = catalog.gpus.get(said.name)
    cards = (*catalog.cards_sharing(said.name), *((named,) if named else ()))
    fitting = next((gpu for gpu in cards if gpu.memory_gb == said.gigabytes), None)
    usual = "" if named is None else _ENDING.sub("", named.id)
    fitting = fitting or catalog.gpus.get(f"{usual or said.name} {said.gigabytes:g}gb")
    return fitting or next((gpu for gpu in cards if _shows(gpu, said.gigabytes or 0)), None)


def _shows(gpu: Gpu, size: float) -> bool:
    """Whether programs show that much of the card: `T4 15GB`, of which 15,360 MiB are seen."""
    seen = gpu.torch_total_gib or 0
    driver = (gpu.reported_mib or 0) * MIB
    shown = (seen, driver / GIB, driver / GB)
    return any(size in (round(total), int(total), round(total, 1)) for total in shown if total)


def _one(said: CardsSaid, catalog: Catalog, locale: Locale) -> dict[str, object]:
    if said.count < 1 or not float(said.count).is_integer():
        message = locale.say_wrong("not_whole", key="gpus", least=1, number=f"{said.count:g}")
        raise NotUnderstoodError("bad_number", message)
    return {"id": _id(said, catalog, locale), "count": int(said.count)}


def _id(said: CardsSaid, catalog: Catalog, locale: Locale) -> str:
    size = said.gigabytes
    if not said.name:
        return _class(size or 0, catalog, locale)
    fitting = None if size is None else _of_size(said, catalog)
    if fitting is not None:
        return fitting.id
    sharing = catalog.cards_sharing(said.name)
    sizes = sorted({gpu.memory_gb for gpu in sharing})
    if size is None and len(sizes) == 1:
        return sharing[0].id
    if sharing:
        message = locale.say_wrong("which_card", word=said.name, sizes=" / ".join(map(str, sizes)))
        raise NotUnderstoodError(
            "ambiguous",
            message,
            field="gpus",
            names=[f"{_times(said)}{said.name} {s}GB" for s in sizes],
        )
    gpu = catalog.gpus.find(said.name)
    if size is None and said.bare and said.count == gpu.memory_gb:
        message = locale.say_wrong("size_or_count", number=f"{said.count:g}", card=gpu.name)
        names = [f"{gpu.id} {gpu.memory_gb}GB", f"{_times(said)}{gpu.id} {gpu.memory_gb}GB"]
        raise NotUnderstoodError("ambiguous", message, field="gpus", names=names)
    if size is None:
        return gpu.id
    message = locale.say_wrong("card_size", card=gpu.name, real=gpu.memory_gb, typed=f"{size:g}")
    raise NotUnderstoodError(
        "contradiction", message, field="gpus", names=[f"{_times(said)}{gpu.id}"]
    )


def _times(said: CardsSaid) -> str:
    return "" if said.count == 1 else f"{said.count:g}x "


def _class(size: float, catalog: Catalog, locale: Locale) -> str:
    row = catalog.classes.get(f"{size:g}gb")
    if row is not None:
        return row.id
    listed = [row for row in catalog.classes.rows if row.listed]
    near = sorted(listed, key=lambda c: abs(c.memory_gb - size))[:3]
    message = locale.say_wrong("no_class", size=f"{size:g}")
    raise NotUnderstoodError(
        "unknown_name", message, field="gpus", names=[f"{c.memory_gb}GB" for c in near]
    )


def holds_slice(cards: Iterable[Mapping[str, object]], catalog: Catalog) -> bool:
    """Whether a slice stands beside a whole card, which may be the one that it is cut of."""
    rows = [catalog.gpus.get(str(card["id"])) for card in cards]
    cut = [row is not None and row.slice_of is not None for row in rows]
    return any(cut) and not all(cut)
