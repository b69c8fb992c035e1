"""The logits and the loss on them: tokens × vocabulary, several times over.

Bytes for each logit, by what is alive at once (stock loss of transformers 5, the
output object dropped before backward as the Trainer does):
  forward  the head's output, its fp32 copy, and log-softmax of it
  kept     log-softmax, which backward needs
  loss     log-softmax, the gradient that comes in, and the one that goes out, all fp32
Source: `ForCausalLMLoss` of transformers, log-softmax's backward of PyTorch.
"""

from enum import StrEnum

from estimator.breakdown import Basis, Line
from estimator.words import Loss

FP32 = 4
KEPT = FP32  # log-softmax
IN_BACKWARD = 3 * FP32
CHUNK_ROWS = 256  # TRL's chunked loss
MORE_COPY = 2  # transformers 4: one more 16-bit copy, of the shifted logits


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
    hidden: int,
    head_bytes: int,
    loss: Loss,
    outputs_kept: bool,
    softcap: bool,
    head_trained: bool,
) -> Line | None:
    """What the loss holds in `phase`; shape (tokens, vocabulary) for the stock losses.

    Fused losses hold one chunk of rows instead, and the gradient of the head's input.
    """
    if loss is Loss.CCE:
        return None
    if loss in (Loss.STOCK, Loss.STOCK_4):
        copies = _copies(phase, head_bytes, loss, outputs_kept=outputs_kept)
        copies += head_bytes if softcap else 0  # tanh keeps its output
        return Line(
            key="logits",
            bytes=tokens * vocabulary * copies,
            formula="tokens × vocabulary × bytes_a_logit",
            terms={"tokens": tokens, "vocabulary": vocabulary, "bytes_a_logit": copies},
            source="transformers-loss",
            basis=Basis.DERIVED,
        )
    chunked = loss is Loss.CHUNKED
    rows = min(tokens, CHUNK_ROWS) if chunked else _liger_rows(tokens, vocabulary, hidden)
    if phase is Phase.KEPT:
        rows = 0
    head = vocabulary * hidden * head_bytes if head_trained and phase is not Phase.FORWARD else 0
    return Line(
        key="logits",
        bytes=rows * vocabulary * (head_bytes + 2 * FP32) + tokens * hidden * head_bytes + head,
        formula="rows × vocabulary × chunk_bytes + tokens × hidden × head_bytes + head_gradient",
        terms={
            "rows": rows,
            "vocabulary": vocabulary,
            "chunk_bytes": head_bytes + 2 * FP32,
            "tokens": tokens,
            "hidden": hidden,
            "head_bytes": head_bytes,
            "head_gradient": head,
        },
        source="liger-fused-ce",
        basis=Basis.DERIVED,
    )


def _copies(phase: Phase, head_bytes: int, loss: Loss, *, outputs_kept: bool) -> int:
    """Bytes alive for each logit."""
    half_head = head_bytes if head_bytes < FP32 else 0  # an fp32 head needs no fp32 copy
    copies = {Phase.FORWARD: half_head + 2 * FP32, Phase.KEPT: KEPT, Phase.LOSS: IN_BACKWARD}[phase]
    if loss is Loss.STOCK_4:
        copies += MORE_COPY
    if outputs_kept and phase is not Phase.FORWARD:
        copies += head_bytes
    return copies


def _liger_rows(tokens: int, vocabulary: int, hidden: int) -> int:
    """Rows of one chunk: tokens ÷ ⌈vocabulary ÷ hidden⌉, up to a power of two."""
    chunks = -(-vocabulary // hidden)
    rows = -(-tokens // chunks)
    power: int = 1 << (rows - 1).bit_length()
    return min(tokens, power)
