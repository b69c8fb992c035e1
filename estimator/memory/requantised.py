"""Holes that packing a model on the card leaves in PyTorch's allocator."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from estimator.breakdown import Basis, Book, Line
from estimator.units import MIB

SPLIT = MIB  # a rest up to here is not split off
FEW = 32  # layers after which the rest goes on alike


class Packed(NamedTuple):
    """A matrix that was whole and is packed: bytes of both, and how many alike."""

    whole: int
    packed: int
    copies: int


def holes(layer: Sequence[Packed], others: Iterable[Packed]) -> Line:
    """Of segments that held whole matrices and now hold packed ones, what nothing fits into.

    Matrix by matrix: the packed one takes the smallest free room that holds it, then the
    whole one goes and leaves its own. What is left of a segment cannot go back to the driver
    while anything lies in it. Counted for a few layers, of which all are alike, and for
    `others`, such as the head. Low: none, where segments can grow. Left out: what else is
    allocated meanwhile, and scales, which are small.
    """
    layers = max((one.copies for one in layer), default=0)
    few = min(layers, FEW)
    left = -(-sum(_left([*layer] * few)) * layers // few) if few else 0
    left += sum(sum(_left([one])) for one in others)
    return Line(
        key="packing_holes",
        bytes=left,
        formula="hole_bytes",
        terms={"hole_bytes": left},
        source="torch-allocator",
        basis=Basis.DERIVED,
        book=Book.RESERVED,
        low_bytes=0,
        high_bytes=2 * left,
    )


def _left(matrices: Sequence[Packed]) -> list[int]:
    """Rooms beside packed matrices that are still free when all are packed."""
    rooms: list[tuple[int, bool]] = []  # bytes, and whether the segment is free as a whole
    for one in matrices:
        at = bisect_left(rooms, (one.packed, False))
        if at < len(rooms):
            room, _ = rooms.pop(at)
            if room - one.packed > SPLIT:
                insort(rooms, (room - one.packed, False))
        insort(rooms, (one.whole, True))
    return [room for room, free in rooms if not free]
