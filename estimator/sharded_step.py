"""A step over sharded weights: which units are gathered when, and which gradients are whole.

`fully_shard` gathers a unit into a buffer and copies it out. In forward the buffer stays until
the next unit has been copied; in backward the next unit is gathered while one computes. What was
cast to be reduced stays until the next unit's is. The root unit is whole through forward and,
gathered again, through backward; so is its head's gradient.

FSDP 1 gathers straight into the weights, and makes a unit's gradients one flat tensor: for an
instant both are there.
"""

from dataclasses import dataclass
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.memory.fully_sharded import (
    gathered,
    reduce_buffer,
    reduced_gradients,
    whole_gradients,
)
from estimator.setup import TrainSetup
from estimator.sharded_units import UNITS, Units, units_of
from estimator.tensors import Role
from estimator.words import Strategy

Lines = tuple[Line | None, ...]
SOURCES = {
    Strategy.FSDP: "torch-fsdp",
    Strategy.FSDP2: "torch-fully-shard",
    Strategy.ZERO3: "deepspeed-zero3",
}


class Widths(NamedTuple):
    """Bytes of a gradient: as it is made, as it is reduced, as this rank keeps it."""

    made: int
    reduced: int
    kept: int


class Gathered(NamedTuple):
    """Units that are whole, by the part of a step; none where the weights are whole anyway.

    `start`: before the first block. `copied`: while a block is copied out in forward, before
    it runs; `forward`: while it runs. `loss`: in its forward. `kept`: when forward is done.
    `again`: when the root unit is gathered for backward. `head`: in backward of loss and
    head. `first`, `middle`, `before_last`, `last`: in the blocks as they go back. `embedding`:
    behind them all.
    """

    start: Line | None = None
    copied: Line | None = None
    forward: Line | None = None
    loss: Line | None = None
    kept: Line | None = None
    again: Line | None = None
    head: Line | None = None
    first: Line | None = None
    middle: Line | None = None
    before_last: Line | None = None
    last: Line | None = None
    embedding: Line | None = None


@dataclass(frozen=True, slots=True)
class Sharded:
    """Units that are divided `ways` ways, and their gradients; `buffered`: FSDP2's way."""

    units: Units
    gathered: Gathered
    widths: Widths
    ways: int
    source: str
    buffered: bool

    def whole(self, parameters: int) -> Line | None:
        """Gradients that are not reduced yet."""
        if not parameters or not self.units.widest.trained:
            return None
        return whole_gradients(parameters, self.widths.made, self.source)

    def reduced(self, blocks: int) -> Line | None:
        """This rank's gradients of so many blocks that went back."""
        units = self.units
        most = units.trained_in_blocks - (units.depth - blocks) * units.widest.trained
        found = max(most, 0) if blocks < units.depth else units.trained_in_blocks
        return reduced_gradients(found, self.widths.kept, self.ways) if found else None

    @property
    def passing(self) -> Line | None:
        """A block's gradients on their way, while the next block goes back."""
        if not self.buffered or not self.units.widest.trained:
            return None
        return reduce_buffer(self.units.widest.trained, self.widths.reduced, self.source)

    @property
    def root_reducing(self) -> Lines:
        """The root unit's gradients, whole, and as they are reduced; it is gathered no more."""
        trained = self.units.root.trained
        if not trained:
            return ()
        return (
            whole_gradients(trained, self.widths.made, self.source),
            reduce_buffer(trained, self.widths.reduced, self.source),
        )


def sharded(setup: TrainSetup, ways: int) -> Sharded | None:
    """The units of a step whose weights are divided `ways` ways; none where they are whole."""
    if setup.strategy not in UNITS or ways == 1:
        return None
    units = units_of(setup, ways)
    source, buffered = SOURCES[setup.strategy], setup.strategy is Strategy.FSDP2
    lines = _gathered(units, source, buffered=buffered, reshard=setup.request.reshard is not False)
    return Sharded(units, lines, _widths(setup), ways, source, buffered)


def _gathered(units: Units, source: str, *, buffered: bool, reshard: bool) -> Gathered:
    root, block = units.root.gathered_bytes, units.widest.gathered_bytes
    extra = 1 if buffered else 0  # a buffer beside the weights
    all_, depth = units.blocks_bytes, units.depth

    def held(roots: int, blocks: int, *, everything: bool = False, gone: int = 0) -> Line:
        parts = {"root_unit": (roots, root), "block_unit": (blocks, block)}
        if everything and depth > gone:
            parts["all_block"] = (1, all_ - gone * block)
        return gathered(source, **parts)

    common = Gathered(
        start=held(1 + extra, 1 + extra),
        before_last=held(1, 2),
        last=held(1, 1),
        embedding=held(1, 0),
    )
    if not reshard:
        every, forward = held(1, 0, everything=True), held(1, extra, everything=True)
        return common._replace(
            copied=held(1, 2 * extra, everything=True),
            forward=forward,
            loss=forward,
            kept=every,
            again=every,
            head=every,
            first=every,
            middle=held(1, 0, everything=True, gone=1),
        )
    return common._replace(
        copied=held(1, 1 + 2 * extra),
        forward=held(1, 1 + extra),
        loss=held(1, extra),
        kept=held(1 - extra, 0),
        again=held(1 + extra, 0),
        head=held(1, 1),
        first=held(1, 2),
        middle=held(1, 2),
    )


def _widths(setup: TrainSetup) -> Widths:
    policy, adapter = setup.request.mp_policy, setup.adapter
    kept = (adapter.dtype if adapter else setup.numbers.linear).bytes_per_block
    made = kept
    if policy is not None and policy.param is not None:
        made = setup.numbers.compute.bytes_per_block
    reduced = made
    if policy is not None and policy.reduce is not None:
        reduced = setup.fp32.bytes_per_block if policy.reduce == setup.fp32.id else made
    return Widths(made, reduced, kept)


def head_parameters(setup: TrainSetup) -> int:
    """Parameters of what turns hidden states into logits, where it is trained with the model."""
    architecture = setup.shape.architecture
    if setup.adapter is not None:
        return 0
    of_head = Role.EMBEDDING if architecture.tied else Role.HEAD
    return sum(tensor.parameters for tensor in architecture.tensors if tensor.role is of_head)
