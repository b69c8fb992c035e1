"""What one forward pass of serving holds for a moment: a block's tensors, and logits."""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.mlps import PlainMlp
from estimator.setup import ServeSetup
from estimator.words import AttentionKernel

FP32 = 4


def pass_activations(
    architecture: Architecture,
    *,
    tokens: int,
    compute_bytes: int,
    attention: AttentionKernel,
    context: int,
) -> Line:
    """One block of a pass over `tokens`, at its widest: in the MLP.

    Four tensors of the stream are alive there (the embedded input, the block's input,
    the residual behind attention, and the normed one), and the MLP's inner ones: gate,
    up and their product, or input and output of a plain activation. Nothing is kept for
    backward, so a block's tensors are freed as it ends. Without flash the scores,
    (heads, tokens, context) in fp32, are held as well.
    """
    inner = max(
        (2 if isinstance(block.mlp, PlainMlp) else 3) * block.mlp.token_inner
        for _, block in architecture.stack
    )
    width = 4 * architecture.hidden + inner
    scores = 0
    if attention is AttentionKernel.EAGER:
        heads = max(block.attention.query_heads for _, block in architecture.stack)
        scores = heads * context * FP32
    return Line(
        key="pass_activations",
        bytes=tokens * (width * compute_bytes + scores),
        formula="tokens × (width × compute_bytes + score_bytes)",
        terms={
            "tokens": tokens,
            "width": width,
            "compute_bytes": compute_bytes,
            "score_bytes": scores,
        },
        source="transformers-llama",
        basis=Basis.DERIVED,
    )


def serving_logits(rows: int, vocabulary: int, compute_bytes: int) -> Line:
    """Logits of `rows` tokens, in the model's type and once more in fp32 to sample from."""
    return Line(
        key="logits",
        bytes=rows * vocabulary * (compute_bytes + FP32),
        formula="rows × vocabulary × (compute_bytes + fp32_bytes)",
        terms={
            "rows": rows,
            "vocabulary": vocabulary,
            "compute_bytes": compute_bytes,
            "fp32_bytes": FP32,
        },
        source="transformers-generate",
        basis=Basis.DERIVED,
    )


def logits_of(setup: ServeSetup, *, all_rows: bool) -> Line | None:
    """Logits behind a prompt: of each sequence's last token, or of every token that was read."""
    architecture = setup.shape.architecture
    if not architecture.head:
        return None
    rows = setup.users * (setup.prompt if all_rows else 1)
    return serving_logits(rows, architecture.vocabulary, setup.numbers.compute.bytes_per_block)


def rotary_tables(setup: ServeSetup) -> Line | None:
    """Cosines and sines of each position that is read, once for all layers."""
    architecture = setup.shape.architecture
    width = setup.numbers.compute.bytes_per_block
    if not architecture.rotary_width:
        return None
    return Line(
        key="rotary_tables",
        bytes=2 * setup.prompt * architecture.rotary_width * width,
        formula="2 × tokens × rotary_width × compute_bytes",
        terms={
            "tokens": setup.prompt,
            "rotary_width": architecture.rotary_width,
            "compute_bytes": width,
        },
        source="transformers-llama",
        basis=Basis.DERIVED,
    )
