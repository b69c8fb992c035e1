"""What PyTorch's allocator hands out beyond what was asked: remainders too small to split off."""

from collections.abc import Iterable

from estimator.breakdown import Basis, Book, Line
from estimator.units import MIB

SMALL = MIB  # up to here a tensor shares small segments; no smaller rest is split off
LARGE = 10 * MIB  # from here on a tensor has a segment of its own
STEP = 2 * MIB  # of which that is a multiple
SEGMENT = 20 * MIB  # which tensors between share
SOURCE = "torch-allocator"


def unsplit_weights(tensors: Iterable[tuple[int, int]]) -> Line:
    """Of weights, which come once and stay; `tensors`: bytes of one, and how many like it.

    A tensor of 10 MiB or more gets whole 2 MiB, and smaller ones share 20 MiB; what is
    left is split off for others only if it is more than 1 MiB, and else counts as allocated.
    Low: none, where segments can grow. Left out: the 512 bytes to which each is rounded.
    """
    rest = sum(count * _rest(size) for size, count in tensors)
    return Line(
        key="allocator_rounding",
        bytes=rest,
        formula="unsplit_bytes",
        terms={"unsplit_bytes": rest},
        source=SOURCE,
        basis=Basis.DERIVED,
        book=Book.ALLOCATED,
        low_bytes=0,
    )


def _rest(size: int) -> int:
    if size >= LARGE:
        rest = -size % STEP
        return rest if rest <= SMALL else 0
    if size <= SMALL:
        return 0
    together = SEGMENT // size
    rest = SEGMENT - together * size
    return -(-rest // together) if rest <= SMALL else 0


def unsplit_cache(tensors: int) -> Line:
    """Of `tensors` keys and values over 1 MiB, which come anew with each token.

    Each takes the place of one that went, which is up to 1 MiB larger: half of it, on
    average.
    """
    return Line(
        key="cache_rounding",
        bytes=tensors * SMALL // 2,
        formula="tensors × largest_rest_bytes ÷ 2",
        terms={"tensors": tensors, "largest_rest_bytes": SMALL},
        source=SOURCE,
        basis=Basis.DERIVED,
        book=Book.ALLOCATED,
        low_bytes=0,
        high_bytes=tensors * SMALL,
    )
