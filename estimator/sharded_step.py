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
from estimator.gathered_units import Gathered, gathered_units, in_gathering
from estimator.memory.fully_sharded import (
    flat_gradient,
    reduce_buffer,
    reduced_gradients,
    reduced_output,
    stream_pools,
    waiting_gradients,
    whole_gradients,
)
from estimator.setup import TrainSetup
from estimator.sharded_units import UNITS, Units, gathered_in, units_of
from estimator.tensors import Role
from estimator.words import Offload, Strategy

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
    """Units that are divided `ways` ways, and their gradients; `buffered`: FSDP2's way.

    `accumulates`: gradients stay whole between micro-steps; `longest_first`: the
    first one, before which there are none, is the widest. `copied`: shards have
    copies, so what was reduced stays in that type until all are. `on_host`: reduced ones leave the
    card. `gathering_bytes`: the most that is gathered at once, on a stream of its own.
    `most_whole`: of gradients that are divided one by one, as they come (ZeRO 3).
    """

    units: Units
    gathered: Gathered
    widths: Widths
    ways: int
    source: str
    buffered: bool
    accumulates: bool
    longest_first: bool
    copied: bool
    on_host: bool
    gathering_bytes: int
    most_whole: int | None

    def whole(self, parameters: int) -> Line | None:
        """Gradients that are not reduced yet."""
        if not parameters or not self.units.widest.trained:
            return None
        if self.most_whole is not None:
            parameters = min(parameters, self.most_whole)
        return whole_gradients(parameters, self.widths.made, self.source)

    def waiting(self, blocks: int) -> Line | None:
        """Gradients of earlier micro-steps, when so many blocks have been reduced."""
        if not self.accumulates:
            return None
        done = min(blocks * self.units.widest.trained, self.units.trained_in_blocks)
        parameters = self.units.trained_in_blocks - done + self.units.root.trained
        if self.longest_first:
            parameters = done
        width = self.widths.reduced if self.buffered else self.widths.made
        return waiting_gradients(parameters, width) if parameters else None

    def reduced(self, blocks: int) -> Line | None:
        """This rank's gradients of so many blocks that went back."""
        units = self.units
        most = units.trained_in_blocks - (units.depth - blocks) * units.widest.trained
        found = max(most, 0) if blocks < units.depth else units.trained_in_blocks
        if not found or self.on_host or self.longest_first:
            return None
        _, reduced, kept = self.widths
        twice = self.copied and self.buffered and reduced != kept
        return reduced_gradients(found, kept + reduced if twice else kept, self.ways)

    @property
    def passing(self) -> Line | None:
        """A block's gradients on their way, while the next block goes back."""
        if not self.buffered or not self.units.widest.trained or self.longest_first:
            return None
        return reduce_buffer(self.units.widest.trained, self.widths.reduced, self.source)

    @property
    def flat(self) -> Line | None:
        """FSDP 1: a block's gradients, once more, as one tensor."""
        if self.source != SOURCES[Strategy.FSDP] or not self.units.widest.trained:
            return None
        return flat_gradient(self.units.widest.trained, self.widths.made)

    def root_reduced(self, last: int) -> Lines:
        """When it is: its part comes out. The gradient of `last` parameters has a name yet."""
        trained = self.units.root.trained
        if not trained or not self.buffered:
            return ()
        _, reduced, kept = self.widths
        return (
            self.whole(last),
            reduce_buffer(trained, reduced, self.source),
            reduced_output(trained, reduced, kept, self.ways),
        )

    @property
    def root_reducing(self) -> Lines:
        """The root unit's gradients, whole, and as they are reduced; it is gathered no more."""
        trained = self.units.root.trained
        if not trained:
            return ()
        whole = None if self.accumulates else self.whole(trained)
        return (
            self.waiting(self.units.depth),
            whole,
            reduce_buffer(trained, self.widths.reduced, self.source),
        )

    def pools(self, lines: Lines) -> Line | None:
        """What other streams keep beyond what they have in use in `lines`."""
        used = 0
        for line in lines:
            if line is not None and line.key == "gathered_units":
                used += in_gathering(line, buffered=self.buffered)
            elif line is not None and line.key == "gradients":
                used += line.bytes
        whole = self.reduced(self.units.depth)
        return stream_pools(self.gathering_bytes, whole.bytes if whole else 0, used)


def sharded(setup: TrainSetup, ways: int) -> Sharded | None:
    """The units of a step whose weights are divided `ways` ways; none where they are whole."""
    if setup.strategy not in UNITS or ways == 1:
        return None
    units = units_of(setup, ways)
    buffered = setup.strategy is Strategy.FSDP2
    reshard = setup.request.reshard is not False
    gathered = gathered_units(units, SOURCES[setup.strategy], buffered=buffered, reshard=reshard)
    present = [line for line in gathered if line is not None]
    zero = setup.strategy is Strategy.ZERO3
    moved = (Offload.BOTH, Offload.OPTIMIZER if zero else Offload.PARAMS)
    return Sharded(
        units=units,
        gathered=gathered,
        widths=_widths(setup),
        ways=ways,
        source=SOURCES[setup.strategy],
        buffered=buffered,
        copied=(setup.request.replicas or 1) > 1,
        longest_first=setup.accumulation > 1 and setup.framework.longest_first,
        accumulates=setup.accumulation > 1 and not zero and not setup.framework.reduces_each,
        on_host=setup.offload in moved,
        most_whole=_largest(setup) if zero else None,
        gathering_bytes=max(in_gathering(line, buffered=buffered) for line in present),
    )


def _largest(setup: TrainSetup) -> int:
    """Parameters of the largest tensor that has a gradient of its own."""
    if setup.adapter is not None:
        return 0
    return max(tensor.elements for tensor in setup.shape.architecture.tensors)


def _widths(setup: TrainSetup) -> Widths:
    policy, adapter = setup.request.mp_policy, setup.adapter
    kept = (adapter.dtype if adapter else setup.numbers.linear).bytes_per_block
    cast = gathered_in(setup)
    made = cast.bytes_per_block if cast else kept
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
