"""Which lines a training step holds at which moment.

A step goes forward, through the loss, backward, and through the optimizer's step. Each
moment is the largest of its instants; the peak is the largest moment.
"""

from collections.abc import Iterator, Sequence

from estimator.breakdown import (
    Book,
    Estimate,
    Line,
    Moment,
    MomentName,
    Parameters,
    Resting,
    bounds,
    moment,
)
from estimator.rollout import rollout_moments
from estimator.setup import TrainSetup
from estimator.sharded_backward import sharded_instants
from estimator.step import Held, Lines, hold
from estimator.trained import all_of, groups
from estimator.words import Checkpointing


def estimate_training(setup: TrainSetup) -> Estimate:
    """The moments of one step on the fullest card."""
    parts = groups(setup)
    trained = all_of(parts)
    held = hold(setup, parts)
    moments = (
        moment(MomentName.LOAD, *held.weights, *held.engine),
        *rollout_moments(setup, held.resting),
        _forward(setup, held),
        _loss(held),
        _backward(setup, held),
        _optimizer_step(held),
    )
    low, high = bounds(moments)
    architecture = setup.shape.architecture
    of_value = held.value.parameters if held.value else 0
    added = of_value + (sum(t.parameters for t in trained) if setup.adapter else 0)
    return Estimate(
        moments=moments,
        resting=_resting(held),
        parameters=Parameters(
            total=architecture.parameters + added,
            active=architecture.active_parameters + added,
            trainable=sum(t.parameters for t in trained) + of_value,
        ),
        low_bytes=low,
        high_bytes=high,
    )


def _forward(setup: TrainSetup, held: Held) -> Moment:
    """The largest of: the last block's end, losses that work in forward, other models' passes.

    At a block's end all that is kept is there, and what the block itself still holds.
    """
    gathered = held.gathered
    stored = (*_beside(held), gathered.forward, *held.from_before, *held.kept[:1])
    front = held.behind_head[1:]
    earlier = (held.loss.named, held.loss.earlier)
    inside = (held.passes.forward, held.running, held.multiplying, *earlier)
    instants: list[Lines] = [(*stored, *front, *held.casts, *inside)]
    kept = (*_beside(held), gathered.loss, *held.from_before, *held.kept)
    behind = (*kept, held.loss.capped, *held.graph_casts)
    if held.sharded is not None:
        instants += [(gathered.start,), (*_before_last_block(setup, held), *front, gathered.copied)]
    if held.loss.forward_in is MomentName.FORWARD:
        casts = held.casts if held.loss.inside else held.graph_casts
        instants.append((*kept, held.loss.capped, *casts, held.loss.forward))
    instants += [(*behind, held.loss.waiting, one) for one in held.others]
    return _widest(MomentName.FORWARD, held, instants)


def _before_last_block(setup: TrainSetup, held: Held) -> Lines:
    """What is kept when the last block is about to run: its input, if it is checkpointed."""
    kept = held.kept[0]
    if kept is None or setup.recomputes:
        return (*_beside(held), *held.from_before, kept)
    return (*_beside(held), *held.from_before, kept.less("last_block", 1, held.block.bytes))


def _loss(held: Held) -> Moment:
    """What of the loss's forward and backward is a moment of its own, over all that is kept."""
    gathered = held.gathered
    own = (*_beside(held), *held.from_before, *held.kept, held.loss.capped)
    kept: Lines = (*own, gathered.loss)
    instants: list[Lines] = [(*own, gathered.again, *held.graph_casts, held.loss.kept)]
    if held.loss.forward_in is MomentName.LOSS:
        instants.append((*kept, *held.casts, held.loss.forward, held.loss.earlier))
    if held.loss.backward_in is MomentName.LOSS:
        early = (*held.graph_casts, held.regularised)
        instants.append((*own, gathered.head, *early, held.loss.backward))
    return _widest(MomentName.LOSS, held, instants)


def _backward(setup: TrainSetup, held: Held) -> Moment:
    """The largest of its instants, and of the loss's where that goes backward with the rest.

    A value model goes back after the policy.
    """
    gathered, casts = held.gathered, held.graph_casts
    sharded = held.sharded
    found = sharded_instants(setup, held, sharded) if sharded else _whole_instants(setup, held)
    beside = (*_beside(held), held.loss.after, held.zero.backward)
    instants: list[Lines] = [(*beside, *lines) for lines in found]
    if held.loss.backward_in is MomentName.BACKWARD and held.loss.backward is not None:
        all_kept = (*held.from_before, *held.kept, *casts, held.loss.capped)
        behind = (gathered.head, held.loss.backward)
        instants.append((*_beside(held), *all_kept, *behind))
    if held.value is not None:
        of_value = (held.updates.left, held.value.gradients, held.value.block)
        instants.append((held.output, held.loss.after, gathered.first, *of_value))
    return _widest(MomentName.BACKWARD, held, instants)


def _whole_instants(setup: TrainSetup, held: Held) -> Iterator[Lines]:
    """Instants of backward where each card has all weights.

    Its start holds every activation and of gradients the head's: in the head, in the final
    norm, or in the first block that is gone through. The last block's end holds every gradient
    but the embedding's, which comes last of all. Gradients that are used up as they come are
    there one at a time.
    """
    tied = setup.shape.architecture.tied
    # added to an earlier micro-step's at once; of a tied head when the embedding's has come
    head = None if held.from_before and not tied else held.head
    waiting = head if held.from_before else None
    kept: Lines = (*held.from_before, *held.behind_head, held.regularised)
    base: Lines = (*kept, head)
    casts = held.graph_casts
    own: Lines = (held.passes.casts, held.multiplying)
    early = _at_last_block(setup, held)
    whole: Lines = (held.block, held.matrices)
    done: Lines = (*early, waiting, *whole, *own, held.passes.backward, held.updating)
    block = whole if setup.recomputes else ()
    started = (*kept, _started(setup, head, held))
    starts: list[Lines] = [
        (*started, *casts, *own, *block, held.passes.start, held.updating),
        (*base, *held.kept[1:3], *casts, held.passes.head),
    ]
    if setup.checkpointing is not Checkpointing.SELECTIVE:
        starts.append(
            (*base, *own, held.passes.again, held.matrices if held.passes.again else None)
        )
    if setup.recomputes and held.running is not None:  # an adapted linear, run once more
        starts += [(*stored, *whole, held.running) for stored in (base, early)]
    if held.updates.at_head:
        starts.append((*held.kept, *casts, *held.updates.at_head))
    # LOMO updates the head one gradient later, when what the head reads is gone
    of_head = () if setup.optimizer.drops_gradient else held.kept[1:3]
    starts.append((*base, *of_head, *casts, *held.updates.after_head))
    embedding: Lines = (*held.updates.at_embedding, waiting, held.late)
    yield from (*starts, done, embedding)


def _started(setup: TrainSetup, head: Line | None, held: Held) -> Line | None:
    """The head's gradient, and those of the first block to go back that are made by then."""
    if head is None or setup.world > 1:
        return head
    return head.more("made", held.passes.made, setup.grads.bytes_per_block)


def _at_last_block(setup: TrainSetup, held: Held) -> Lines:
    """Gradients while the last block goes back: its own come one by one."""
    early = held.updates.at_last_block
    if held.from_before:  # all of an earlier micro-step's are there
        return held.from_before
    if setup.passing or setup.world > 1 or len(early) != 1 or early[0] is None:
        return early
    return (early[0].less("pending", held.passes.pending, setup.grads.bytes_per_block),)


def _optimizer_step(held: Held) -> Moment:
    """Every gradient, and what the step itself allocates."""
    of_value = held.value.gradients if held.value else None
    lines = (*held.resting, *held.engine, held.output, held.loss.after, of_value, held.zero.step)
    return moment(MomentName.OPTIMIZER_STEP, *lines, *held.updates.in_step, *held.overhead[:2])


def _beside(held: Held) -> Lines:
    """What is there through forward and backward besides: tables, a value's graph, an output."""
    return (*(held.value.kept if held.value else ()), held.rotary, held.output)


def _widest(name: MomentName, held: Held, instants: Sequence[Lines]) -> Moment:
    """The largest instant of a moment, over what rests."""
    widest = max(instants, key=_total)
    pools = held.sharded.pools(widest) if held.sharded else None
    return moment(name, *held.resting, *held.engine, *widest, *held.overhead, pools)


def _resting(held: Held) -> Resting:
    before = _total(tuple(line for line in held.resting if line and line.book is Book.TENSORS))
    kept = (*_beside(held), *held.from_before, *held.kept, held.loss.kept, held.loss.capped)
    kept += (held.gathered.kept,)
    after = _total((held.updates.left,))
    if held.value is not None:
        after += held.value.gradients.bytes
    after += _total((held.output, held.loss.after))
    return Resting(
        before_step=before,
        after_forward=before + _total((*kept, *held.graph_casts)),
        after_backward=before + after,
    )


def _total(lines: Lines) -> int:
    return sum([line.bytes for line in lines if line is not None])
