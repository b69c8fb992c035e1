"""Memory of a card that others hold: what is said of it, and what it keeps from starting."""

from collections.abc import Iterator, Sequence
from math import floor

from estimator.breakdown import HUNDRED
from estimator.card_total import total_bytes
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.errors import Contradiction
from estimator.gpu_rows import CardClass, Gpu
from estimator.reservation import Reservation
from estimator.setup import Setup
from estimator.units import show_gib

VLLM = "vllm"


def refuse_more_than_all(setup: Setup, catalog: Catalog) -> None:
    """Raise where more is in use than a card has that was asked about."""
    taken = setup.request.in_use_bytes or 0
    for entry in setup.cards if taken else ():
        total = _total(entry, catalog)
        if taken >= total:
            raise Contradiction(
                ("in_use_bytes",),
                f"{show_gib(taken)} in use is all of {entry.card.name}, of which a program sees "
                f"{show_gib(total)}: nothing is left.",
            )


def in_use_warnings(
    setup: Setup, reserved: Sequence[Reservation], catalog: Catalog
) -> Iterator[str]:
    """Where memory is one with the system's; where vLLM does not find its share free."""
    for entry in setup.cards:
        if isinstance(entry.card, Gpu) and entry.card.unified:
            yield _of_unified(entry.card, catalog)
    taken = setup.request.in_use_bytes or 0
    if not taken:
        return
    for entry, one in zip(setup.cards, reserved, strict=False):
        left = one.free_bytes - taken
        if one.engine == VLLM and one.bytes > left:
            most = max(0, floor(left * HUNDRED / _total(entry, catalog)))
            yield (
                f"vllm wants its {one.share:.0%} of {entry.card.name} free before it starts, and "
                f"{show_gib(taken)} is in use: give it `--gpu-memory-utilization "
                f"{most / HUNDRED:.2f}` at most."
            )


def _of_unified(gpu: Gpu, catalog: Catalog) -> str:
    """A Mac, a DGX Spark, a Strix Halo or a Jetson: its memory is not the model's alone."""
    seen = show_gib(total_bytes(gpu, catalog.card_use))
    return (
        f"{gpu.name} has one memory for the system and the GPU, which may use {seen} of it: what "
        "the system and other programs hold beyond the rest comes off that."
    )


def _total(entry: Cards, catalog: Catalog) -> int:
    """Bytes that a program sees of the card; of a class, of its smallest."""
    card = entry.card
    cards = catalog.class_members(card) if isinstance(card, CardClass) else (card,)
    return min(total_bytes(gpu, catalog.card_use) for gpu in cards)
