"""What the loss of each objective holds, and at which moment of the step.

A supervised loss on whole logits is a moment of its own. Losses that have the head in them
work while the forward pass and backward do; so do the log-probabilities of preference and
policy losses, behind which the loss itself is a few numbers.
"""

from dataclasses import replace

from estimator.breakdown import Line, MomentName
from estimator.loss_paths import LossPath
from estimator.memory import divergence, fused_heads, logprobs
from estimator.memory.fused_heads import Alive, Head
from estimator.memory.logits import Phase, logits
from estimator.setup import TrainSetup
from estimator.words import Loss, Objective, Reference

FP32 = 4
HALF = 2
WHOLE_LOGITS = (Loss.STOCK, Loss.STOCK_4, Loss.FUSED_CE)
LOGITS_OF_TRAINERS = (Objective.DPO, Objective.GRPO, Objective.PPO, Objective.DISTILL)


def loss_path(setup: TrainSetup) -> LossPath:
    """The loss of the setup's objective; none to speak of where there is no head."""
    if not setup.shape.architecture.head:
        return LossPath(None, None, None)
    path = _path(setup)
    own = setup.goal.objective in LOGITS_OF_TRAINERS and setup.loss in WHOLE_LOGITS
    if not own or not setup.shape.architecture.softcap:
        return path
    rows = setup.goal.scored + 1 if setup.goal.objective is Objective.GRPO else setup.seq
    capped = logprobs.kept_logits(
        sequences=setup.sequences,
        rows=rows,
        vocabulary=setup.shape.architecture.vocabulary,
        width=head_bytes(setup),
        source="transformers-loss",
    )
    return replace(path, capped=replace(capped, key="capped_logits"))


def _path(setup: TrainSetup) -> LossPath:
    match setup.goal.objective:
        case Objective.REWARD:
            return LossPath(None, None, None)
        case Objective.DPO if setup.loss in WHOLE_LOGITS:
            return _preference(setup)
        case Objective.GRPO if setup.loss in WHOLE_LOGITS:
            return _generated(setup)
        case Objective.PPO:
            return _proximal(setup)
        case Objective.DISTILL:
            return _distilled(setup)
        case _ if setup.loss in WHOLE_LOGITS:
            return _supervised(setup)
        case _:
            return _fused(setup)


def multiplies_head(setup: TrainSetup) -> bool:
    """Whether the graph holds a product with the whole head: none with scores or fused losses."""
    scores = setup.shape.architecture.scores or not setup.shape.architecture.head
    whole = setup.loss in WHOLE_LOGITS or setup.goal.objective is Objective.PPO
    return whole and not scores


def head_bytes(setup: TrainSetup) -> int:
    """Bytes of a number that the head gives out."""
    in_head = setup.kbit_prepare and not setup.autocast
    head = setup.numbers.head if in_head else setup.numbers.compute
    return head.bytes_per_block


def logit_bytes(setup: TrainSetup) -> int:
    """Bytes of a logit as a trainer gets it: fp32 under Accelerate's autocast."""
    return FP32 if setup.autocast else head_bytes(setup)


def _supervised(setup: TrainSetup) -> LossPath:
    own_type = setup.shape.architecture.own_loss and not setup.autocast
    given = FP32 if setup.framework.gives_fp32 else head_bytes(setup)
    found = {
        phase: logits(
            phase,
            tokens=setup.tokens,
            vocabulary=setup.shape.architecture.vocabulary,
            head_bytes=head_bytes(setup),
            loss=setup.loss,
            outputs_kept=setup.outputs_kept,
            softcap=setup.shape.architecture.softcap,
            softmax_bytes=head_bytes(setup) if own_type else FP32,
            parts=setup.plan.tp,
            output_bytes=given,
        )
        for phase in Phase
    }
    return LossPath(
        found[Phase.FORWARD],
        found[Phase.KEPT],
        found[Phase.LOSS],
        MomentName.LOSS,
        MomentName.LOSS,
        after=_output_logits(setup, given, "transformers-loss") if setup.outputs_kept else None,
    )


def _fused(setup: TrainSetup) -> LossPath:
    """The head and the loss in one, over the tokens that count."""
    goal, architecture = setup.goal, setup.shape.architecture
    rows = setup.seq - 1 if setup.loss is Loss.CHUNKED else setup.seq
    if goal.objective in (Objective.DPO, Objective.GRPO):
        rows = goal.scored
    wide = setup.kbit_prepare or setup.numbers.head.bytes_per_block == FP32
    head = Head(
        tokens=setup.sequences * rows,
        hidden=architecture.hidden,
        vocabulary=architecture.vocabulary,
        input_bytes=FP32 if wide else setup.numbers.compute.bytes_per_block,
        weight_bytes=setup.numbers.head.bytes_per_block,
        compute_bytes=head_bytes(setup),
        trained=setup.head_trained,
    )
    alive = _alive(setup.loss, head)
    return LossPath(alive.forward, alive.kept, alive.backward, waiting=alive.kept, inside=True)


def _alive(loss: Loss, head: Head) -> Alive:
    match loss:
        case Loss.LIGER:
            return fused_heads.liger(head)
        case Loss.CCE:
            return fused_heads.cut(head)
        case _:
            return fused_heads.tiled(head)


def _preference(setup: TrainSetup) -> LossPath:
    """DPO: chosen and rejected pass at once; the reference while the policy's logits are held."""
    width, vocabulary = logit_bytes(setup), setup.shape.architecture.vocabulary
    scored, sequences = setup.goal.scored, setup.sequences
    forward = logprobs.preference_forward(
        sequences=sequences,
        rows=setup.seq,
        scored=scored,
        vocabulary=vocabulary,
        width=width,
        reference=setup.goal.reference is not Reference.NONE,
    )
    kept = logprobs.kept_logits(
        sequences=sequences,
        rows=scored,
        vocabulary=vocabulary,
        width=width,
        source="trl-dpo-trainer",
    )
    backward = logprobs.preference_backward(
        sequences=sequences,
        scored=scored,
        vocabulary=vocabulary,
        width=width,
        source="trl-dpo-trainer",
    )
    waiting = logprobs.held_for_reference(
        sequences=sequences, rows=setup.seq, scored=scored, vocabulary=vocabulary, width=width
    )
    # in 16 bits it goes back through log-softmax, which is the loss's own moment
    back = MomentName.BACKWARD if width == FP32 else MomentName.LOSS
    return LossPath(forward, kept, backward, backward_in=back, waiting=waiting)


def _generated(setup: TrainSetup) -> LossPath:
    """GRPO: logits of the generated tokens, and of the one before them."""
    width, vocabulary = logit_bytes(setup), setup.shape.architecture.vocabulary
    scored = setup.goal.scored
    rows = scored + 1
    forward = logprobs.generated_forward(
        sequences=setup.sequences,
        rows=rows,
        scored=scored,
        vocabulary=vocabulary,
        width=width,
        half_head=setup.autocast and head_bytes(setup) < FP32,
    )
    kept = logprobs.kept_logits(
        sequences=setup.sequences,
        rows=rows if width == FP32 else scored,
        vocabulary=vocabulary,
        width=width,
        source="trl-grpo-trainer",
    )
    backward = logprobs.divided_backward(
        sequences=setup.sequences,
        rows=rows,
        scored=scored,
        logits_held=False,
        vocabulary=vocabulary,
        width=width,
        source="trl-grpo-trainer",
    )
    return LossPath(forward, kept, backward)


def _proximal(setup: TrainSetup) -> LossPath:
    """PPO: logits of every token, held by the loop until its step is done."""
    width, vocabulary = logit_bytes(setup), setup.shape.architecture.vocabulary
    scored, sequences = setup.goal.scored, setup.sequences
    half = HALF if setup.autocast and head_bytes(setup) < FP32 else 0
    softmaxed = 0 if width == FP32 else scored  # log-softmax is kept beside them
    forward = logprobs.kept_logits(
        sequences=sequences,
        rows=setup.seq,
        vocabulary=vocabulary,
        width=width + half,
        source="trl-ppo-trainer",
    )
    kept = logprobs.kept_logits(
        sequences=sequences,
        rows=setup.seq + softmaxed,
        vocabulary=vocabulary,
        width=width,
        source="trl-ppo-trainer",
    )
    backward = logprobs.divided_backward(
        sequences=sequences,
        rows=setup.seq,
        scored=scored,
        logits_held=True,
        vocabulary=vocabulary,
        width=width,
        source="trl-ppo-trainer",
    )
    wider = max(forward, kept, key=lambda line: line.bytes)
    return LossPath(wider, kept, backward, after=_output_logits(setup, width, "trl-ppo-trainer"))


def _output_logits(setup: TrainSetup, width: int, source: str) -> Line:
    """Every token's logits, in an output that a training loop does not let go of."""
    return logprobs.kept_logits(
        sequences=setup.sequences,
        rows=setup.seq,
        vocabulary=setup.shape.architecture.vocabulary,
        width=width,
        source=source,
    )


def _distilled(setup: TrainSetup) -> LossPath:
    """Distillation: the teacher runs while the student's logits, or hidden states, are held."""
    goal, architecture = setup.goal, setup.shape.architecture
    teacher = goal.beside("teacher")
    if teacher is None:
        raise ValueError("distillation without a teacher is refused before it gets here")
    width = logit_bytes(setup)
    if setup.loss in WHOLE_LOGITS:
        sizes = {"sequences": setup.sequences, "vocabulary": architecture.vocabulary}
        return LossPath(
            divergence.divergence_forward(**sizes, rows=setup.seq, scored=goal.scored, width=width),
            divergence.divergence_kept(**sizes, scored=goal.scored, width=width),
            None,
            waiting=logprobs.kept_logits(
                **sizes, rows=setup.seq, width=width, source="trl-gkd-trainer"
            ),
        )
    head = setup.numbers.head.bytes_per_block
    summed = FP32 + (head if head < FP32 else 0)
    forward, backward = (
        divergence.tiled_divergence(
            tokens=setup.sequences * goal.scored,
            hidden=architecture.hidden,
            teacher_hidden=teacher.shape.architecture.hidden,
            vocabulary=architecture.vocabulary,
            input_bytes=setup.numbers.compute.bytes_per_block,
            weight_gradient=summed if setup.head_trained else 0,
            backward=back,
        )
        for back in (False, True)
    )
    return LossPath(forward, None, backward)
