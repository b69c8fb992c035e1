"""What the optimizer's step itself allocates, from the instants of its row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

from estimator.breakdown import Line
from estimator.optimizer_rows import (
    Instant,
    Optimizer,
    Over,
    Projection,
    elements,
    is_matrix,
)
from estimator.rows import Dtype
from estimator.tensors import Tensor


class Types(NamedTuple):
    """`updated`: the type that is updated; `named`: the types that rows name; fp32 is one."""

    updated: Dtype
    named: Mapping[str, Dtype]

    @property
    def fp32(self) -> bool:
        return self.updated.id == self.named["fp32"].id

    def bytes_of(self, dtype: str) -> int:
        """Bytes of an element; none of an upcast of what is fp32 already."""
        if dtype == "parameter":
            return self.updated.bytes_per_block
        if dtype == "upcast":
            return 0 if self.fp32 else self.named["fp32"].bytes_per_block
        return self.named[dtype].bytes_per_block


def step_scratch(
    optimizer: Optimizer, trained: Sequence[Tensor], types: Types, *, rank: int, cards: int = 1
) -> Line | None:
    """The largest of the step's instants: for all tensors at once, or for the largest."""
    candidates = [
        (instant, group) for instant in optimizer.step for group in _groups(instant, trained)
    ]
    if not candidates:
        return None
    instant, group = max(candidates, key=lambda found: _bytes(found, types, rank))
    return _held(optimizer, instant, group, types, rank).divided(cards)


def _bytes(found: tuple[Instant, Sequence[Tensor]], types: Types, rank: int) -> int:
    """What is held at once, before it is put in words."""
    instant, group = found
    whole = instant.over is Over.ALL
    total = 0
    for scratch in instant.held:
        width = scratch.copies * types.bytes_of(scratch.dtype)
        by = Projection(rank, scratch.side, types.fp32)
        for tensor in group if width else ():
            copies = tensor.copies if whole else 1
            total += width * copies * elements(scratch.shape, tensor, by)
    return total


def _groups(instant: Instant, trained: Sequence[Tensor]) -> Iterator[Sequence[Tensor]]:
    """Which tensors the instant holds scratch for at once; of all but `ALL`, one copy of each."""
    match instant.over:
        case Over.ALL:
            yield trained
        case Over.ONE:  # tensors of one shape hold the same
            shapes = {(t.rows, t.columns, t.experts, is_matrix(t)): t for t in reversed(trained)}
            for tensor in reversed(shapes.values()):
                yield (tensor,)
        case Over.SEAM:
            outside = [tensor for tensor in trained if not is_matrix(tensor)]
            inside = [tensor for tensor in trained if is_matrix(tensor)]
            yield (*outside[-1:], *inside[:1])
        case _:
            assert_never(instant.over)


def _held(
    optimizer: Optimizer, instant: Instant, group: Sequence[Tensor], types: Types, rank: int
) -> Line:
    texts: list[str] = []
    terms: dict[str, int] = {}
    total, whole = 0, instant.over is Over.ALL
    for number, scratch in enumerate(instant.held, start=1):
        by = Projection(rank, scratch.side, types.fp32)
        count = sum(
            (tensor.copies if whole else 1) * elements(scratch.shape, tensor, by)
            for tensor in group
        )
        width = types.bytes_of(scratch.dtype)
        if not count * width:
            continue
        suffix = "" if len(instant.held) == 1 else f"_{number}"
        texts.append(f"copies{suffix} × elements{suffix} × element_bytes{suffix}")
        terms |= {
            f"copies{suffix}": scratch.copies,
            f"elements{suffix}": count,
            f"element_bytes{suffix}": width,
        }
        total += scratch.copies * count * width
    return Line(
        key="optimizer_temporaries",
        bytes=total,
        formula=" + ".join(texts) or "0",
        terms=terms,
        source=optimizer.sources[0],
        basis=optimizer.basis,
    )
