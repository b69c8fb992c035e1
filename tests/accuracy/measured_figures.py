"""What of an estimate a published statistic holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from estimator import (
    GIB,
    Answer,
    Basis,
    Book,
    Estimate,
    Line,
    Moment,
    MomentName,
    ServeSetup,
    load_catalog,
    reserved_of,
)
from estimator.breakdown import bounds
from estimator.memory.gguf_file import gguf_metadata
from estimator.memory.weights import weights
from estimator.reservation import Reservation
from estimator.statistic import peak_within
from tests.accuracy.measured_serving import card_of

Row = Mapping[str, Any]

BOOKS = {
    "allocated": Book.ALLOCATED,
    "active": Book.ALLOCATED,
    "reserved": Book.RESERVED,
    "unknown": Book.RESERVED,  # mostly the allocator's own figure
    "process": Book.DEVICE,
    "device": Book.DEVICE,
}
WEIGHTS = ("weights", "tower")
CACHE = ("kv_cache", "recurrent_state")
STEP = ("profiled_step", "pass_activations")
SUMMED = ("sum_over_gpus",)


class UnscoredError(LookupError):
    """The estimate has no such figure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The estimate of one figure and its range; `lines`: what it is the sum of."""

    bytes: int
    low_bytes: int
    high_bytes: int
    lines: tuple[tuple[str, int], ...]

    def __add__(self, other: "Figure") -> "Figure":
        """Of both together, by the lines of the first."""
        return Figure(
            self.bytes + other.bytes,
            self.low_bytes + other.low_bytes,
            self.high_bytes + other.high_bytes,
            self.lines,
        )

    def times(self, cards: int) -> "Figure":
        """Of so many cards together."""
        return Figure(
            self.bytes * cards, self.low_bytes * cards, self.high_bytes * cards, self.lines
        )


def figure_of(found: Answer, row: Row) -> Figure:
    """The figure that the row published; raises UnscoredError where there is none."""
    kind = row["statistic_kind"]
    if row["settings"].get("pool"):
        return _pool(found, row)
    if kind not in BOOKS:
        figure = _part(found, kind)
        return figure.times(found.setup.world) if row["scope"] in SUMMED else figure
    if row["scope"] not in SUMMED:
        return _peak(found.estimate, BOOKS[kind], row)
    if not found.estimate.shares:
        return _peak(found.estimate, BOOKS[kind], row).times(found.setup.world)
    first, *others = (
        _peak(share.estimate, BOOKS[kind], row).times(share.cards)
        for share in found.estimate.shares
    )
    return sum(others, first)


def _peak(found: Estimate, book: Book, row: Row) -> Figure:
    one = peak_within(found.moments, book, _context(row) if book is Book.DEVICE else 0)
    lines = tuple((line.key, line.bytes) for line in one.lines)
    return Figure(one.bytes, one.low_bytes, one.high_bytes, lines)


def _context(row: Row) -> int:
    """The CUDA context, which a device's figure holds: the card's own where it was measured."""
    catalog, name = load_catalog(), card_of(row["settings"])
    names = [name] if name else []
    known = [
        gpu.context_mib for name in names if (gpu := catalog.gpus.get(name)) and gpu.context_mib
    ]
    return round((known[0] if known else catalog.card_use.context_mib) * 2**20)


def _pool(found: Answer, row: Row) -> Figure:
    """What is left for the cache of the share of a card that a server takes."""
    setup = found.setup
    if not isinstance(setup, ServeSetup) or setup.paging is None:
        raise UnscoredError("no pool of this engine")
    total = round(row["settings"]["card_gib"] * GIB)
    one = reserved_of(setup, total, _context(row))
    pool = Moment(MomentName.LOAD, (_pool_line(one),))
    low, high = bounds([pool])
    return Figure(one.pool_bytes, low, high, ())


def _pool_line(one: Reservation) -> Line:
    return Line(
        key="pool",
        bytes=one.pool_bytes,
        formula="pool_bytes",
        terms={"pool_bytes": one.pool_bytes},
        source="vllm-config",
        basis=Basis.DERIVED,
        low_bytes=one.pool_low_bytes,
        high_bytes=one.pool_high_bytes,
    )


def _part(found: Answer, kind: str) -> Figure:
    first, *_, last = found.estimate.moments
    match kind:
        case "file":
            part = _file(found)
        case "component_weights":
            part = _of(first, WEIGHTS)
        case "component_kv":
            part = _of(last, CACHE)
        case "component_activation":
            part = _of(found.estimate.moments[1], STEP)
        case _:
            raise UnscoredError(f"no figure for `{kind}`")
    low, high = bounds([part])
    return Figure(part.bytes, low, high, tuple((one.key, one.bytes) for one in part.lines))


def _of(moment: Moment, keys: tuple[str, ...]) -> Moment:
    return Moment(moment.name, tuple(one for one in moment.lines if one.key.startswith(keys)))


def _file(found: Answer) -> Moment:
    """A GGUF file: all tensors, those that stay on the host too, and its tokenizer."""
    setup = found.setup
    shape = setup.shape.architecture
    lines = (*weights(shape, setup.numbers), gguf_metadata(shape.vocabulary))
    return Moment(MomentName.LOAD, lines)
