"""Which lines a training step holds at which moment.

A step goes forward, through the loss, backward, and through the optimizer's step. Each
moment is the largest of its instants; the peak is the largest moment.
"""

from estimator.breakdown import (
    Estimate,
    Moment,
    MomentName,
    Parameters,
    Resting,
    bounds,
    largest,
    moment,
)
from estimator.memory.logits import Phase
from estimator.setup import TrainSetup
from estimator.step import Held, Lines, checkpointed, hold, logits_in, trained_tensors


def estimate_training(setup: TrainSetup) -> Estimate:
    """The moments of one step on the fullest card."""
    trained = trained_tensors(setup)
    held = hold(setup, trained)
    moments = (
        moment(MomentName.LOAD, *held.weights),
        moment(MomentName.FORWARD, *held.resting, *_forward(setup, held), *held.overhead),
        moment(MomentName.LOSS, *held.resting, *_loss(setup, held), *held.overhead),
        _backward(setup, held),
        moment(
            MomentName.OPTIMIZER_STEP, *held.resting, held.gradients, held.step, *held.overhead[:1]
        ),
    )
    low, high = bounds(moments)
    architecture = setup.shape.architecture
    added = sum(t.parameters for t in trained) if setup.adapter else 0
    return Estimate(
        moments=moments,
        resting=_resting(setup, held),
        parameters=Parameters(
            total=architecture.parameters + added,
            active=architecture.active_parameters + added,
            trainable=sum(t.parameters for t in trained),
        ),
        low_bytes=low,
        high_bytes=high,
    )


def _forward(setup: TrainSetup, held: Held) -> Lines:
    """The last block's end: all that is kept, and what the block itself still holds."""
    inside = held.passes.plain if checkpointed(setup) else held.passes.forward
    return (held.units, *held.from_before, *held.kept[:1], held.casts, inside)


def _loss(setup: TrainSetup, held: Held) -> Lines:
    """The wider of the loss's forward and backward, over all that forward kept."""
    inside, after = logits_in(setup, Phase.FORWARD), logits_in(setup, Phase.LOSS)
    kept_casts = None if checkpointed(setup) else held.casts
    forward = (held.units, *held.from_before, *held.kept, held.casts, inside)
    backward = (held.units, *held.from_before, *held.kept, kept_casts, after)
    return max(forward, backward, key=_total)


def _backward(setup: TrainSetup, held: Held) -> Moment:
    """The largest of its instants.

    Its start holds every activation and no gradient yet: in the final norm, or in the first
    block that is gone through. The last block's end holds every gradient but the
    embedding's, which comes last of all.
    """
    base: Lines = (*held.from_before, *held.kept[:1])
    done: Lines = (held.early_gradients, held.block, held.passes.backward)
    starts: list[Lines]
    if checkpointed(setup):
        starts = [
            (*base, held.passes.recomputed),
            (*base, held.block, held.passes.rebuilt),
            (*base, *held.kept[1:], held.passes.head),
        ]
    else:
        starts = [
            (*base, held.casts, held.passes.backward),
            (*base, *held.kept[1:], held.casts, held.passes.head),
        ]
    embedding: Lines = (held.gradients, held.tied)
    # the root unit is no longer gathered when its gradients, still whole, are reduced
    reducing: Lines = (held.early_gradients, held.root)
    instants = [
        moment(MomentName.BACKWARD, *held.resting, held.units, *lines, *held.overhead)
        for lines in (*starts, done, embedding)
    ]
    if held.root is not None:
        instants.append(moment(MomentName.BACKWARD, *held.resting, *reducing, *held.overhead))
    return largest(instants)


def _resting(setup: TrainSetup, held: Held) -> Resting:
    before = _total(held.resting)
    kept = (*held.from_before, *held.kept, logits_in(setup, Phase.KEPT))
    casts = () if checkpointed(setup) else (held.casts,)
    after = 0 if setup.in_backward else held.gradients.bytes
    return Resting(
        before_step=before,
        after_forward=before + _total((*kept, *casts)),
        after_backward=before + after,
    )


def _total(lines: Lines) -> int:
    return sum(line.bytes for line in lines if line is not None)
