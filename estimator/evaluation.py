"""The peak of evaluating between training steps, which has a batch of its own."""

from dataclasses import replace

from estimator.breakdown import Estimate, MomentName
from estimator.memory.prefill import pass_activations
from estimator.objectives import loss_path
from estimator.setup import TrainSetup
from estimator.units import show_gib
from estimator.words import Loss, Objective

EVAL_BATCH = 8  # the Trainer's per_device_eval_batch_size
EVALUATED = (Objective.SFT, Objective.PRETRAIN, Objective.DPO, Objective.DISTILL)


def evaluation_bytes(setup: TrainSetup, found: Estimate) -> int:
    """One evaluation pass: what rests between steps, a block's tensors, and the loss.

    No gradients are there, and nothing is kept for a backward pass. Sharded weights are
    gathered as in a step's forward pass.
    """
    activations = pass_activations(
        setup.shape.architecture,
        tokens=replace(setup, batch=EVAL_BATCH).tokens,
        compute_bytes=setup.numbers.compute.bytes_per_block,
        attention=setup.attention,
        context=setup.seq,
    )
    # Liger's own head is for training alone: evaluating, it has whole logits
    loss = Loss.STOCK if setup.loss is Loss.LIGER else setup.loss
    inside = loss_path(replace(setup, batch=EVAL_BATCH, loss=loss)).forward
    # whichever is wider: a block while it runs, or the loss behind the last one
    widest = max(activations.bytes, 0 if inside is None else inside.bytes)
    forward = next(m for m in found.moments if m.name is MomentName.FORWARD)
    gathered = sum(line.bytes for line in forward.lines if line.key == "gathered_units")
    rests = 0 if found.resting is None else found.resting.before_step
    return rests + gathered + widest


def evaluation_warning(setup: TrainSetup, found: Estimate) -> str | None:
    """A sentence where evaluating takes more than any moment of the step.

    None where the batch was left open: then the Trainer's is as good a guess as ours.
    """
    left_open = setup.request.batch is None
    if left_open or setup.goal.objective not in EVALUATED or setup.batch >= EVAL_BATCH:
        return None
    needed = evaluation_bytes(setup, found)
    if needed <= found.peak.bytes:
        return None
    return (
        f"Evaluating at the Trainer's own batch of {EVAL_BATCH} takes {show_gib(needed)}, more "
        "than training: set `per_device_eval_batch_size`."
    )
