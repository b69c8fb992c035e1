"""Which number of an estimate answers to what was measured.

Each line says in which book it first stands (`Book`), and a statistic reads one of them:

- `allocated`, `torch.cuda.max_memory_allocated`: tensors, and what the allocator gives for them.
- `reserved`, `torch.cuda.max_memory_reserved`: that, and what it keeps of the driver and does
  not use.
- `device`, `nvidia-smi` or `mem_get_info`: that, what the allocator never sees (NCCL, captured
  graphs, kernels of engines), and the CUDA context, which no line holds: it is the card's own.

So `allocated` ≤ `reserved` ≤ `device`, always. The peak is the largest moment by the lines of
its book alone, which need not be the moment that is the largest by all.

A server that takes a share of a card fills that share with its cache, whatever the users ask
for. Of such a one the cache is the whole pool, so a card has to be named. llama.cpp has no
PyTorch and one figure, the driver's; so has MLX, which counts its own buffers.

Left out: other programs on the card, which `device` shows too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from estimator.answering import Answer
from estimator.breakdown import Basis, Book, Line, Moment, bounds, largest
from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.estimate import estimate
from estimator.judging import others_of
from estimator.reservation import Reservation
from estimator.setup import ServeSetup, Setup
from estimator.units import MIB

CACHE = ("kv_cache", "recurrent_state", "draft_kv_cache", "draft_recurrent_state")
CONTEXT = "cuda_context"  # of what a card holds back


class Statistic(StrEnum):
    """What a program, or the driver, says of a run: each holds those before it."""

    ALLOCATED = "allocated"
    RESERVED = "reserved"
    DEVICE = "device"


BOOKS = {
    Statistic.ALLOCATED: Book.ALLOCATED,
    Statistic.RESERVED: Book.RESERVED,
    Statistic.DEVICE: Book.DEVICE,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """The estimate of one statistic and its range; `lines` of its moment, without a context."""

    bytes: int
    low_bytes: int
    high_bytes: int
    lines: tuple[Line, ...] = ()


def statistics_of(setup: Setup) -> tuple[Statistic, ...]:
    """Those that the program has, the narrowest first."""
    if isinstance(setup, ServeSetup):
        match setup.engine.kind:
            case EngineKind.GGML:
                return (Statistic.DEVICE,)
            case EngineKind.MLX:
                return (Statistic.ALLOCATED,)
            case EngineKind.PAGED:
                return (Statistic.DEVICE, Statistic.ALLOCATED, Statistic.RESERVED)
    return tuple(Statistic)


def needs_card(found: Answer) -> bool:
    """Whether the program takes a share of a card, and none is named."""
    setup = found.setup
    paged = isinstance(setup, ServeSetup) and setup.engine.kind is EngineKind.PAGED
    return paged and not found.reservations


def figure_of(found: Answer, statistic: Statistic, catalog: Catalog) -> Figure:
    """The estimate of it on one card, the fullest. A server's needs its card: see `needs_card`.

    The range of a bare size holds the other models that it may stand for.
    """
    beside = context_of(found, catalog) if statistic is Statistic.DEVICE else 0
    book = BOOKS[statistic]
    if found.reservations:
        fullest = max(found.reservations, key=lambda one: one.bytes)
        filled = [_filled(moment, fullest) for moment in found.estimate.moments]
        return peak_within(filled, book, beside)
    own = peak_within(found.estimate.moments, book, beside)
    others = (
        peak_within(estimate(other).moments, book, beside)
        for other in others_of(found.setup, catalog)
    )
    return _spanning(own, others)


def peak_within(moments: Sequence[Moment], book: Book, beside_bytes: int = 0) -> Figure:
    """The peak by the lines of one book and `beside_bytes`, which no line holds."""
    within = [moment.within(book) for moment in moments]
    peak = largest(within)
    low, high = bounds(within)
    return Figure(
        bytes=peak.bytes + beside_bytes,
        low_bytes=low + beside_bytes,
        high_bytes=high + beside_bytes,
        lines=peak.lines,
    )


def context_of(found: Answer, catalog: Catalog) -> int:
    """The CUDA context: the largest of the cards that are named; of none, the largest measured."""
    named = [
        part.bytes
        for card in found.cards
        if card.asked
        for part in card.held_back
        if part.key == CONTEXT
    ]
    return max(named, default=round(catalog.card_use.context_mib * MIB))


def _spanning(middle: Figure, others: Iterable[Figure]) -> Figure:
    every = (middle, *others)
    return replace(
        middle,
        low_bytes=min(one.low_bytes for one in every),
        high_bytes=max(one.high_bytes for one in every),
    )


def _filled(moment: Moment, reserved: Reservation) -> Moment:
    """A moment of a server with the whole pool for its cache, once there is one."""
    kept = tuple(_without_cache(moment))
    if len(kept) == len(moment.lines) or not reserved.pool_bytes:
        return moment
    return Moment(moment.name, (*kept, _pool(reserved)))


def _without_cache(moment: Moment) -> Iterator[Line]:
    for line in moment.lines:
        if line.key not in CACHE:
            yield line


def _pool(reserved: Reservation) -> Line:
    """What is left for the cache. The more other lines take of a share, the less that is."""
    return Line(
        key="cache_pool",
        bytes=reserved.pool_bytes,
        formula="pool_bytes",
        terms={"pool_bytes": reserved.pool_bytes},
        source="vllm-config",
        basis=Basis.DERIVED,
        low_bytes=reserved.pool_high_bytes,
        high_bytes=reserved.pool_low_bytes,
    )
