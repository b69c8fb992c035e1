"""The peak of evaluating between training steps, which has a batch of its own."""

from dataclasses import replace

from estimator.breakdown import Estimate, MomentName, moment
from estimator.memory.prefill import pass_activations
from estimator.objectives import evaluated
from estimator.setup import TrainSetup
from estimator.step import hold, trained_tensors
from estimator.units import show_gib
from estimator.words import Objective

EVAL_BATCH = 8  # the Trainer's per_device_eval_batch_size
EVALUATED = (Objective.SFT, Objective.PRETRAIN, Objective.DPO, Objective.DISTILL)


def evaluation_bytes(setup: TrainSetup) -> int:
    """One evaluation pass: what rests between steps, a block's tensors, and the loss.

    No gradients are there, and nothing is kept for a backward pass.
    """
    held = hold(setup, trained_tensors(setup))
    tokens = replace(setup, batch=EVAL_BATCH).tokens
    activations = pass_activations(
        setup.shape.architecture,
        tokens=tokens,
        compute_bytes=setup.numbers.compute.bytes_per_block,
        attention=setup.attention,
        context=setup.seq,
    )
    loss = evaluated(setup, EVAL_BATCH)
    # whichever is wider: a block while it runs, or the loss behind the last one
    widest = activations if loss is None or activations.bytes > loss.bytes else loss
    return moment(MomentName.FORWARD, *held.resting, held.units, widest).bytes


def evaluation_warning(setup: TrainSetup, found: Estimate) -> str | None:
    """A sentence where evaluating takes more than any moment of the step."""
    if setup.goal.objective not in EVALUATED or setup.batch >= EVAL_BATCH:
        return None
    needed = evaluation_bytes(setup)
    if needed <= found.peak.bytes:
        return None
    return (
        f"Evaluating at the Trainer's own batch of {EVAL_BATCH} takes {show_gib(needed)}, more "
        "than training: set `per_device_eval_batch_size`."
    )
