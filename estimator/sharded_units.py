"""Setup → units: what is gathered together, and what of it has gradients to be reduced.

FSDP makes each block a unit and the rest (embeddings, final norm, head) the root unit.
`fully_shard` cuts a tensor's first dimension into equal parts, so that what does not divide
is filled up, and the first rank holds the most; FSDP 1 and ZeRO 3 cut flat.
"""

from collections.abc import Iterable
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.held import held_tensors
from estimator.memory.adapters import adapter_tensors, saved_tensors
from estimator.rows import Dtype
from estimator.setup import TrainSetup
from estimator.tensors import Role, Tensor
from estimator.updating import Group
from estimator.words import Strategy

ENDS = (Role.EMBEDDING, Role.POSITION, Role.HEAD)  # of no block
UNITS = (Strategy.FSDP, Strategy.FSDP2, Strategy.ZERO3)


class Unit(NamedTuple):
    """What is gathered together, in the type that it is gathered in.

    `gathered_bytes`: whole, and filled up to divide among the ranks. `trained`: elements
    that have gradients, filled up likewise.
    """

    gathered_bytes: int
    trained: int


class Units(NamedTuple):
    """The root unit, and one for each kind of block with how many there are."""

    root: Unit
    blocks: tuple[tuple[int, Unit], ...]

    @property
    def widest(self) -> Unit:
        """The largest unit of a block."""
        return max((unit for _, unit in self.blocks), key=lambda unit: unit.gathered_bytes)

    @property
    def depth(self) -> int:
        """How many blocks there are."""
        return sum(count for count, _ in self.blocks)

    @property
    def trained_in_blocks(self) -> int:
        """Elements with gradients in all blocks."""
        return sum(count * unit.trained for count, unit in self.blocks)

    @property
    def blocks_bytes(self) -> int:
        """All blocks, gathered."""
        return sum(count * unit.gathered_bytes for count, unit in self.blocks)


def units_of(setup: TrainSetup, ways: int) -> Units:
    """The units of a model that is divided `ways` ways."""
    architecture = setup.shape.architecture
    rows = setup.strategy is Strategy.FSDP2
    whole = _unit(setup, architecture, ways, rows=rows)
    blocks = []
    for name, (count, _) in zip(architecture.blocks, architecture.stack, strict=True):
        one, two = (
            _unit(setup, architecture.with_layers({name: layers}), ways, rows=rows)
            for layers in (1, 2)
        )
        blocks.append((count, Unit(*(b - a for a, b in zip(one, two, strict=True)))))
    parts = [Unit(count * unit.gathered_bytes, count * unit.trained) for count, unit in blocks]
    root = Unit(*(all_ - sum(of) for all_, of in zip(whole, zip(*parts, strict=True), strict=True)))
    if setup.framework.ends_apart and not architecture.tied:  # one of the two at a time
        root = Unit(-(-root.gathered_bytes // 2), -(-root.trained // 2))
    return Units(root, tuple(blocks))


def _unit(setup: TrainSetup, architecture: Architecture, ways: int, *, rows: bool) -> Unit:
    """A whole model as if it were one unit; sums over tensors, so units are differences."""
    recast = gathered_in(setup)
    held = 0
    for dtype, tensor in held_tensors(architecture, setup.numbers):
        elements = tensor.copies * padded(tensor, ways, rows=rows)
        held += _gathered_bytes(elements, recast if recast and dtype.plain else dtype)
    adapter = setup.adapter
    if adapter is None:
        return Unit(held, sum(t.copies * padded(t, ways, rows=rows) for t in architecture.tensors))
    own = tuple(_adapted(setup, architecture))
    of_adapter = recast or adapter.dtype
    trained = sum(t.copies * padded(t, ways, rows=rows) for t in own)
    held += trained * of_adapter.bytes_per_block
    if setup.framework.flat_units and setup.strategy is Strategy.FSDP:
        adapted = {tensor.module.partition(".lora")[0] for tensor in own}
        inside = [t for t in architecture.tensors if t.role not in ENDS or t.module in adapted]
        trained += sum(t.copies * padded(t, ways, rows=rows) for t in inside)
    return Unit(held, trained)


def _adapted(setup: TrainSetup, architecture: Architecture) -> Iterable[Tensor]:
    adapter = setup.adapter
    if adapter is None:
        return ()
    return (*adapter_tensors(architecture, adapter), *saved_tensors(architecture, adapter))


def _gathered_bytes(elements: int, dtype: Dtype) -> int:
    """Without scales in tensors of their own, which are on every rank."""
    width = dtype.bytes_per_block - dtype.scale_bytes
    return -(-elements // dtype.elements_per_block) * width


def gathered_in(setup: TrainSetup) -> Dtype | None:
    """What units are cast to as they are gathered; none where they are gathered as they are."""
    policy = setup.request.mp_policy
    if policy is None or policy.param is None:
        return None
    return setup.fp32 if policy.param == setup.fp32.id else setup.numbers.compute


def padded(tensor: Tensor, ways: int, *, rows: bool) -> int:
    """Elements of one copy, filled up until they divide."""
    if not rows:
        return -(-tensor.elements // ways) * ways
    return tensor.first_part(ways).elements * ways


def cut(parts: tuple[Group, ...], ways: int) -> tuple[Group, ...]:
    """The first rank's part of each tensor, where its first dimension is cut."""
    return tuple(
        part._replace(tensors=tuple(tensor.first_part(ways) for tensor in part.tensors))
        for part in parts
    )


def divides(tensors: Iterable[Tensor], ways: int) -> bool:
    """Whether every rank holds as much as any other."""
    return all(tensor.first_part(ways).elements * ways == tensor.elements for tensor in tensors)
