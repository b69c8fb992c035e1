"""A step over sharded weights: which units are gathered when, and which gradients are whole.

`fully_shard` gathers a unit into a buffer and copies it out. In forward the buffer stays until
the next unit has been copied; in backward the next unit is gathered while one computes. What was
cast to be reduced stays until the next unit's is. The root unit is whole through forward and, gathered
again, through backward; so is its head's gradient.

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
from estimator.sharded_units import UNITS, Unit, Units, units_of
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


@dataclass(frozen=True, slots=True)
class Sharded:
    """Units by the part of a step in which they are gathered, and the gradients of units.

    `start`: before the first block; `copied`: while a block is copied out in forward, before
    it runs; `forward`: while it runs; `loss`: in its forward; `kept`: when forward is done;
    `again`: when the root unit is gathered for backward; `head`: in backward of loss and head; `first`, `middle`, `last`: in the blocks as they go
    back; `embedding`: behind them all.
    """

    units: Units
    widths: Widths
    ways: int
    source: str
    buffered: bool  # gathered into a buffer beside the weights
    start: Line
    copied: Line
    forward: Line
    loss: Line
    kept: Line
    again: Line
    head: Line
    first: Line
    middle: Line
    last: Line
    embedding: Line

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
    lines = _lines(units, source, buffered=buffered, reshard=setup.request.reshard is not False)
    return Sharded(units, _widths(setup), ways, source, buffered, *lines)


def _lines(units: Units, source: str, *, buffered: bool, reshard: bool) -> tuple[Line, ...]:
    root, block = units.root.gathered_bytes, units.widest.gathered_bytes
    extra = 1 if buffered else 0  # a buffer beside the weights
    all_, depth = units.blocks_bytes, units.depth

    def held(roots: int, blocks: int, *, everything: bool = False, gone: int = 0) -> Line:
        parts = {"root_unit": (roots, root), "block_unit": (blocks, block)}
        if everything and depth > gone:
            parts["all_block"] = (1, all_ - gone * block)
        return gathered(source, **parts)

    start, last, embedding = held(1 + extra, 1 + extra), held(1, 1), held(1, 0)
    if not reshard:
        every, middle = held(1, 0, everything=True), held(1, 0, everything=True, gone=1)
        forward = held(1, extra, everything=True)
        copied = held(1, 2 * extra, everything=True)
        forwards = (start, copied, forward, forward, every, every)
        return *forwards, every, every, middle, last, embedding
    copied, forward, waiting = held(1, 1 + 2 * extra), held(1, 1 + extra), held(1, extra)
    kept, again, going = held(1 - extra, 0), held(1 + extra, 0), held(1, 2)
    forwards = (start, copied, forward, waiting, kept, again)
    return *forwards, last, going, going, last, embedding


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


__all__ = ["Sharded", "Unit", "Units", "head_parameters", "sharded"]
