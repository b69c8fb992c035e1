"""The logits and the loss on them: tokens × vocabulary, several times over.

Bytes for each logit, by what is alive at once (the output object dropped before backward,
as the Trainer does). c: bytes of the head's output.
             forward                                kept            loss (backward)
  stock      c, its fp32 copy, log-softmax          log-softmax 4   log-softmax, the gradient
                                                                    that comes in, and the one
                                                                    that goes out: 12
  stock_4    the same, and a copy cut by one token  log-softmax 4   12
  fused_ce   c                                      c               c, and the gradient
Sources: `ForCausalLMLoss` of transformers, log-softmax's backward of PyTorch, Unsloth's kernel.
"""

from enum import StrEnum

from estimator.breakdown import Basis, Line
from estimator.words import Loss

FP32 = 4


class Phase(StrEnum):
    """When the loss is looked at."""

    FORWARD = "forward"
    KEPT = "kept"
    LOSS = "loss"


def logits(
    phase: Phase,
    *,
    tokens: int,
    vocabulary: int,
    head_bytes: int,
    loss: Loss,
    outputs_kept: bool,
    softcap: bool,
    softmax_bytes: int = FP32,
    parts: int = 1,
    output_bytes: int | None = None,
) -> Line:
    """What the loss holds in `phase`; shape (tokens, vocabulary).

    `softmax_bytes`: of log-softmax and its gradients; fp32 but where a model takes its loss in
    the type it computes in. `output_bytes`: of the logits that are given back, where those are
    not as the head gave them. `parts`: of the vocabulary, of which a card has one; PyTorch then
    writes log-softmax out and holds exponentials beside it. Left out: transformers 4 computes
    on one token of a sequence less.
    """
    copies = _copies(phase, head_bytes, loss, softmax_bytes)
    written_out = parts > 1 and phase is not Phase.KEPT and loss is not Loss.FUSED_CE
    copies += softmax_bytes if written_out else 0
    if outputs_kept and phase is not Phase.FORWARD and loss is not Loss.FUSED_CE:
        copies += output_bytes or head_bytes
    copies += head_bytes if softcap else 0  # tanh keeps its output
    # older kernels write the gradient into the logits
    in_place = tokens * vocabulary * (copies - head_bytes)
    fused = loss is Loss.FUSED_CE and phase is Phase.LOSS
    return Line(
        key="logits",
        bytes=tokens * vocabulary * copies,
        formula="tokens × vocabulary × bytes_a_logit",
        terms={"tokens": tokens, "vocabulary": vocabulary, "bytes_a_logit": copies},
        source="unsloth-cross-entropy"
        if loss is Loss.FUSED_CE
        else "torch-loss-parallel"
        if parts > 1
        else "transformers-loss",
        basis=Basis.DERIVED,
        low_bytes=in_place if fused else None,
    )


def _copies(phase: Phase, head_bytes: int, loss: Loss, softmax_bytes: int) -> int:
    """Bytes alive for each logit."""
    if loss is Loss.FUSED_CE:
        return head_bytes * (2 if phase is Phase.LOSS else 1)
    half_head = head_bytes if head_bytes < softmax_bytes else 0  # else it needs no copy
    cut = FP32 if loss is Loss.STOCK_4 else 0
    match phase:
        case Phase.FORWARD:
            return half_head + softmax_bytes + cut + softmax_bytes
        case Phase.KEPT:
            return softmax_bytes
        case Phase.LOSS:
            return 3 * softmax_bytes
