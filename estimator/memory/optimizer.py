"""The optimizer's states, and the fp32 master weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from estimator.breakdown import Basis, Book, Line
from estimator.optimizer_rows import Optimizer, Projection, State, elements
from estimator.rows import Dtype
from estimator.tensors import Role, Tensor


def states(
    optimizer: Optimizer,
    trained: Sequence[Tensor],
    *,
    updated: Dtype,
    followed: Dtype,
    dtypes: Mapping[str, Dtype],
    rank: int,
    wide: tuple[Role, ...] = (),
    cards: int = 1,
) -> tuple[Line, ...]:
    """One line a state, or two: of a paged optimizer the large tensors' may leave the card.

    `updated`: the type that is updated; `followed`: that of states that follow their weight;
    `dtypes`: all others, by name. Block types keep whole blocks a tensor. `wide`: roles whose
    states are not packed. `cards`: over how many cards they are sharded.
    """
    paged_from = optimizer.paged_from
    stays = [t for t in trained if paged_from is None or t.elements < paged_from]
    moves = [t for t in trained if paged_from is not None and t.elements >= paged_from]
    found = []
    count = Counter(updated=updated, followed=followed, dtypes=dtypes, rank=rank, wide=wide)
    for state in optimizer.states:
        resident = count.size_of(state, stays)
        key = f"optimizer_{state.name.replace(' ', '_')}"
        if not moves:
            found.append(_line(key, resident, optimizer))
            continue
        paged = count.size_of(state, moves)
        found.append(_line(key, resident.with_scales(paged), optimizer))
        if paged.blocks:
            line = _line(f"{key}_paged", paged.without_scales(), optimizer)
            found.append(replace(line, book=Book.DEVICE, low_bytes=0))  # asked of the driver
    return tuple(line.divided(cards) for line in found if line.bytes)


@dataclass(frozen=True, slots=True)
class Size:
    """A state's size: `blocks` of `dtype`, `small` elements of another, scales of paged blocks."""

    dtype: Dtype
    small_dtype: Dtype
    block_bytes: int
    blocks: int
    small: int
    scales: int = 0

    def with_scales(self, paged: "Size") -> "Size":
        """And the scales of blocks that are paged, which are not."""
        return replace(self, scales=paged.blocks if self.dtype.scale_bytes else 0)

    def without_scales(self) -> "Size":
        """The blocks without their scales."""
        return replace(self, block_bytes=self.dtype.bytes_per_block - self.dtype.scale_bytes)


class Counter(NamedTuple):
    """What a state's size depends on beside the tensors; see `states`."""

    updated: Dtype
    followed: Dtype
    dtypes: Mapping[str, Dtype]
    rank: int
    wide: tuple[Role, ...]

    def size_of(self, state: State, tensors: Sequence[Tensor]) -> Size:
        """Whole blocks a tensor; tensors that are not packed count as small ones."""
        dtype = self.followed if state.dtype == "parameter" else self.dtypes[state.dtype]
        fp32 = self.updated.id == self.dtypes["fp32"].id
        by = Projection(self.rank, state.side, fp32)
        blocks = small = 0
        for tensor in tensors:
            count = elements(state.shape, tensor, by)
            broken = state.whole_blocks and count % dtype.elements_per_block
            whole = tensor.role in self.wide and not dtype.plain
            if count < state.small_below or broken or whole:
                small += tensor.copies * count
            else:
                blocks += tensor.copies * -(-count // dtype.elements_per_block)
        small_dtype = self.followed if state.small == "parameter" else self.dtypes["fp32"]
        return Size(dtype, small_dtype, dtype.bytes_per_block, blocks, small)


def _line(key: str, size: Size, optimizer: Optimizer) -> Line:
    unit = "elements" if size.dtype.plain else "blocks"
    name, other = f"{size.dtype.id}_bytes", f"{size.small_dtype.id}_bytes"
    texts, terms = [f"{unit} × {name}"], {unit: size.blocks, name: size.block_bytes}
    total = size.blocks * size.block_bytes
    if size.small:
        texts.append(f"small_elements × {other}")
        terms |= {"small_elements": size.small, other: size.small_dtype.bytes_per_block}
        total += size.small * size.small_dtype.bytes_per_block
    if size.scales:
        texts.append("paged_blocks × scale_bytes")
        terms |= {"paged_blocks": size.scales, "scale_bytes": size.dtype.scale_bytes}
        total += size.scales * size.dtype.scale_bytes
    return Line(
        key=key,
        bytes=total,
        formula=" + ".join(texts),
        terms=terms,
        source=optimizer.sources[0],
        basis=optimizer.basis,
    )


def master_weights(trained: Sequence[Tensor], master: Dtype | None, cards: int = 1) -> Line | None:
    """An fp32 copy of 16-bit weights that the step updates: 4 bytes a parameter."""
    if master is None:
        return None
    parameters = sum(tensor.parameters for tensor in trained)
    return Line(
        key="master_weights",
        bytes=parameters * master.bytes_per_block,
        formula="trainable × master_bytes",
        terms={"trainable": parameters, "master_bytes": master.bytes_per_block},
        source="zero-2019",
        basis=Basis.COUNTED,
    ).divided(cards)
