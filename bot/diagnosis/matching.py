"""Which cards a message may be of: those whose total a program sees as it says."""

from bot.diagnosis.card import HOSTS
from bot.diagnosis.makers import makers_of
from bot.reading.oom.message import OomKind, OomMessage
from estimator import GIB, Catalog, Gpu, total_bytes

ROUNDED = GIB // 100  # a total is printed to a hundredth of a GiB
NEAR = 0.004  # of a total, by which a driver of another release may differ
MOST_NAMED = 6


def cards_with(message: OomMessage, catalog: Catalog, text: str = "") -> tuple[Gpu, ...]:
    """Cards of the tables with about the message's total, common and close ones first.

    Of more kinds than are worth naming only those with just that total; none where that is of
    no card. `text`: all that stands around the message, which may say whose cards they are.
    """
    total = message.figures.get("total")
    if total is None or message.kind in HOSTS:
        return ()
    makers = makers_of(message, text)
    common = {gpu.id for one in catalog.classes.rows for gpu in catalog.class_members(one)}
    found = sorted(
        (
            (abs(total_bytes(gpu, catalog.card_use) - total), gpu)
            for gpu in catalog.gpus.rows
            if gpu.vendor in makers and gpu.slice_of is None
        ),
        key=lambda pair: (pair[1].id not in common, pair[0]),
    )
    for room in (max(ROUNDED, int(NEAR * total)), ROUNDED):
        near = tuple(gpu for off, gpu in found if off <= room)
        if len(near) <= MOST_NAMED:
            return near
    return ()


def card_words(message: OomMessage, cards: tuple[Gpu, ...]) -> str:
    """The card of a message as the words of a line: the first, else a size of whole GB."""
    if cards:
        return cards[0].id
    total = message.figures.get("total", 0)
    whole = round(total / GIB)
    exact = whole > 0 and abs(total - whole * GIB) <= NEAR * total
    return f"{whole}GB" if exact and message.kind in (OomKind.CUDA, OomKind.HIP) else ""
