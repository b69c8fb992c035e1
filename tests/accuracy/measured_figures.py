"""What of an estimate a published statistic holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from estimator import Answer, Book, Moment, load_catalog
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

    def times(self, cards: int) -> "Figure":
        """Of so many cards together."""
        return Figure(
            self.bytes * cards, self.low_bytes * cards, self.high_bytes * cards, self.lines
        )


def figure_of(found: Answer, row: Row) -> Figure:
    """The figure that the row published; raises UnscoredError where there is none."""
    kind = row["statistic_kind"]
    figure = _peak(found, BOOKS[kind], row) if kind in BOOKS else _part(found, kind)
    return figure.times(found.setup.world) if row["scope"] in SUMMED else figure


def _peak(found: Answer, book: Book, row: Row) -> Figure:
    moments = [moment.within(book) for moment in found.estimate.moments]
    peak = max(moments, key=lambda moment: moment.bytes)
    context = _context(row) if book is Book.DEVICE else 0
    return Figure(
        bytes=peak.bytes + context,
        low_bytes=max(moment.low_bytes for moment in moments) + context,
        high_bytes=max(moment.high_bytes for moment in moments) + context,
        lines=tuple((line.key, line.bytes) for line in peak.lines),
    )


def _context(row: Row) -> int:
    """The CUDA context, which a device's figure holds: the card's own where it was measured."""
    catalog, name = load_catalog(), card_of(row["settings"])
    names = [name] if name else []
    known = [
        gpu.context_mib for name in names if (gpu := catalog.gpus.get(name)) and gpu.context_mib
    ]
    return round((known[0] if known else catalog.card_use.context_mib) * 2**20)


def _part(found: Answer, kind: str) -> Figure:
    wanted = {"component_weights": WEIGHTS, "component_kv": CACHE, "file": WEIGHTS}.get(kind)
    if wanted is None:
        raise UnscoredError(f"no figure for `{kind}`")
    moments = found.estimate.moments
    held: Moment = moments[0] if kind in ("component_weights", "file") else moments[-1]
    lines = [line for line in held.lines if line.key.startswith(wanted)]
    part = Moment(held.name, tuple(lines))
    return Figure(
        part.bytes, part.low_bytes, part.high_bytes, tuple((one.key, one.bytes) for one in lines)
    )
