"""The instants of backward over sharded weights: the loss, the head, and blocks from the last on.

What was gathered, and what waits to be reduced, differs from block to block, so the first one
to go back, the second, the last but one and the last are looked at: between them all grows
or shrinks evenly.
"""

from collections.abc import Iterator

from estimator.breakdown import Line
from estimator.setup import TrainSetup
from estimator.sharded_step import Sharded, head_parameters
from estimator.step import Held
from estimator.tensors import Role

Lines = tuple[Line | None, ...]


def sharded_instants(setup: TrainSetup, held: Held, units: Sharded) -> Iterator[Lines]:
    """What is held at each instant, over what rests."""
    gathered = held.gathered
    head = units.whole(head_parameters(setup))
    before, depth = held.from_before, units.units.depth
    ends: Lines = (held.regularised,)
    base: Lines = (*before, *held.behind_head, held.regularised)
    own: Lines = (held.passes.casts, held.multiplying)
    casts = held.graph_casts
    block: Lines = (held.block, held.matrices)
    recomputed = block if setup.recomputes else ()
    yield (*base, head, gathered.head, *held.kept[1:3], *casts, held.passes.head)
    if held.updates.at_head:
        yield (*before, *held.kept, *casts, gathered.head, *held.updates.at_head)
    made = _with(units, head, held.passes.made)
    going = (*casts, *own, *recomputed, held.passes.start, held.updating)
    yield (*base, made, gathered.first, *going)
    again = (*own, held.passes.again, held.matrices if held.passes.again else None)
    if held.passes.again is not None or not setup.recomputes:
        yield (*base, head, gathered.first, *again)
    if setup.recomputes and held.running is not None:
        yield (*base, head, gathered.first, *block, held.running)
    if depth > 1:
        rest = _without_one(setup, held)
        done = (units.reduced(1), units.passing)
        yield (*_left(held, units, 1), *rest, *ends, made, gathered.middle, *done, *going)
    last_made = _with(units, head, units.units.widest.trained - held.passes.pending)
    last = (last_made, *block, *own, held.passes.backward, held.updating)
    if depth > 1:
        done = (units.reduced(depth - 2), units.passing)
        yield (
            *_left(held, units, depth - 2),
            _one(setup, held),
            gathered.before_last,
            *done,
            *last,
        )
    done = (units.reduced(depth - 1), units.passing if depth > 1 else None)
    yield (*_left(held, units, depth - 1), gathered.last, *done, *last)
    all_ = units.reduced(depth)
    table = _embedding(setup)
    behind = (gathered.embedding, all_, units.passing, _with(units, head, table))
    yield (*_left(held, units, depth), *behind)
    if units.root_reducing:
        earlier = () if units.accumulates else before
        yield (*earlier, all_, *units.root_reducing)
        yield (*earlier, all_, *units.root_reduced(head_parameters(setup)))
    if units.flat is not None:
        yield (*base, _with(units, head, units.units.widest.trained), units.flat, gathered.first)


def _left(held: Held, units: Sharded, blocks: int) -> Lines:
    """Gradients of earlier micro-steps when so many blocks are done."""
    return (units.waiting(blocks),) if units.accumulates else held.from_before


def _with(units: Sharded, head: Line | None, parameters: int) -> Line | None:
    """The head's gradient, whole, and those of so many parameters more."""
    if not units.units.widest.trained or parameters <= 0:
        return head
    return units.whole(parameters + (head.terms["whole_parameters"] if head else 0))


def _embedding(setup: TrainSetup) -> int:
    """Parameters of the embedding: its gradient comes last of all, after a tied head's."""
    architecture = setup.shape.architecture
    if setup.adapter is not None:
        return 0
    table = sum(t.parameters for t in architecture.tensors if t.role is Role.EMBEDDING)
    return 2 * table if architecture.tied else table


def _one(setup: TrainSetup, held: Held) -> Line | None:
    """What of forward one block keeps: its checkpoint, or all that waits for backward."""
    kept = held.kept[0]
    if setup.recomputes:
        return kept and kept.part(1, setup.shape.architecture.depth)
    return held.block


def _without_one(setup: TrainSetup, held: Held) -> Lines:
    """What is kept behind the head, without the last block's."""
    kept, depth = held.kept[0], setup.shape.architecture.depth
    behind = held.behind_head[1:]
    if kept is None:
        return behind
    if setup.recomputes:
        return (kept.part(depth - 1, depth), *behind)
    return (kept.less("gone", 1, held.block.bytes), *behind)
