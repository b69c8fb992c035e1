"""What a count yields, how storages are rounded, and how two counts are compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GRANULE_BYTES = 512  # PyTorch's CUDA allocator hands out whole multiples of this
COMPARED = (
    *("params", "trainable", "weights_bytes", "before_step", "after_forward", "forward_peak"),
    *("fwd_bwd_peak", "after_backward", "optimizer_peak", "peak"),
)


def rounded(size_bytes: int) -> int:
    """The bytes that the allocator takes for a storage of `size_bytes`; none for an empty one."""
    return -(-size_bytes // GRANULE_BYTES) * GRANULE_BYTES


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one counted step, in bytes; `params` and `trainable` are counts.

    `after_forward` is what is held when only the loss is left and all that backward needs;
    of several micro-steps it is the last one's. Peaks are over all micro-steps.
    """

    params: int
    trainable: int
    weights_bytes: int
    before_step: int
    after_forward: int
    forward_peak: int
    fwd_bwd_peak: int
    peak_op: str
    after_backward: int
    optimizer_peak: int
    peak: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One row counted again: how far each figure is from the row's own, as a fraction."""

    id: str
    off: Mapping[str, float]

    @property
    def peak(self) -> float:
        return abs(self.off["peak"])

    def __str__(self) -> str:
        figures = " ".join(f"{name}={100 * value:+.4f}%" for name, value in self.off.items())
        return f"{self.id} {figures}"


def difference(row: Mapping[str, Any], counted: Figures) -> Difference:
    """Counted against the figures that the row has."""
    off = {name: getattr(counted, name) / row[name] - 1 for name in COMPARED if row.get(name)}
    return Difference(str(row["id"]), off)


def summary(differences: Sequence[Difference]) -> Iterator[str]:
    """The last lines of a comparison: every figure's worst row, then the peaks."""
    for name in COMPARED:
        found = [abs(one.off[name]) for one in differences if name in one.off]
        if found:
            yield f"{name:15} max={100 * max(found):.4f}%"
    worst = max((one.peak for one in differences), default=0.0)
    yield f"overall n={len(differences)} max={100 * worst:.4f}%"
