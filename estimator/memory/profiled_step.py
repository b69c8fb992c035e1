"""The widest step that a server runs at start to see what is left for its cache."""

from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.breakdown import Basis, Book, Line
from estimator.mixers import Attention, LatentAttention
from estimator.mlps import ExpertsMlp, PlainMlp
from estimator.units import KIB, MIB

FP32 = 4
STREAMS = 2  # of the residual stream, beside what attention put out: what came in, and o_proj's
GATED = 3  # gate and up in one, and their product
PLAIN = 2
BUFFER_ROWS = 132  # multiprocessors of an H100; a sorting kernel has a row for each
L2_CACHE = 50 * MIB  # of an H100; compiled kernels are timed on the first step
WORKSPACE = 32 * MIB  # cuBLAS, from compute capability 9
WORKSPACE_BEFORE = 8 * MIB + 128 * KIB


class Step(NamedTuple):
    """Sizes of a step: `tokens`, of which `sequences` are sampled from; `cards` divide heads.

    `experts`: cards that divide the width of each expert.
    """

    tokens: int
    sequences: int
    cards: int
    compute_bytes: int
    experts: int = 1


def profiled_step(
    architecture: Architecture,
    step: Step,
    *,
    sampled_bytes: int,
    sorts_in_place: bool,
    keeps_experts: bool,
    compiled: bool,
) -> Line:
    """The larger of two instants: in a block, and while the next tokens are sampled.

    In a block, at its widest: the stream that came in, what attention put out, its projection,
    and the MLP's inner tensors (or routed experts' two buffers, unless those are kept); compiled
    kernels are timed in the first run, which clears a buffer as large as the L2 cache. While
    sampling: all hidden states, the last ones twice, and for each sequence and word the logits
    in the type computed in with `sampled_bytes` beside them; where top-k is applied in place, a
    row of the vocabulary a multiprocessor. Left out: indices, and one copy of activations
    that are quantised as they go. Low: no timing, the smaller workspace. High: one more
    stream, as models with images have, and pixels.
    """
    width, compute = _width(architecture, step, keeps_experts=keeps_experts), step.compute_bytes
    flushed = L2_CACHE if compiled else 0
    rows = BUFFER_ROWS if sorts_in_place else 0
    hidden, words = architecture.hidden, architecture.vocabulary if architecture.head else 0
    forward = step.tokens * width * compute + flushed
    a_sequence = 2 * hidden * compute + words * (compute + sampled_bytes)
    sampling = step.tokens * hidden * compute + step.sequences * a_sequence + rows * words * FP32
    stream = step.tokens * hidden * compute
    least = max(forward - flushed, sampling - rows * words * FP32)
    return Line(
        key="profiled_step",
        bytes=WORKSPACE + max(forward, sampling),
        formula=(
            "workspace_bytes + max(step_tokens × width × compute_bytes + flushed_bytes, "
            "step_tokens × hidden × compute_bytes + sequences × (2 × hidden × compute_bytes + "
            "vocabulary × (compute_bytes + sampled_bytes)) + buffer_rows × vocabulary × fp32_bytes)"
        ),
        terms={
            "workspace_bytes": WORKSPACE,
            "step_tokens": step.tokens,
            "width": width,
            "compute_bytes": compute,
            "flushed_bytes": flushed,
            "hidden": hidden,
            "sequences": step.sequences,
            "vocabulary": words,
            "sampled_bytes": sampled_bytes,
            "buffer_rows": rows,
            "fp32_bytes": FP32,
        },
        source="vllm-0.19.0-sampler",
        basis=Basis.DERIVED,
        book=Book.ALLOCATED,
        low_bytes=WORKSPACE_BEFORE + least,
        high_bytes=WORKSPACE + max(forward, sampling) + stream,
    )


def experts_workspace(architecture: Architecture, step: Step) -> Line | None:
    """The two buffers that routed experts work in, where they stay allocated between steps.

    For every routed token one as wide as gate and up together, one as wide as their product;
    each at least as wide as the stream, since results come back in one of them.
    """
    width = max(
        (
            _expert_width(block.mlp, architecture.hidden, step.experts)
            for _, block in architecture.stack
        ),
        default=0,
    )
    if not width:
        return None
    return Line(
        key="experts_workspace",
        bytes=step.tokens * width * step.compute_bytes,
        formula="step_tokens × width × compute_bytes",
        terms={"step_tokens": step.tokens, "width": width, "compute_bytes": step.compute_bytes},
        source="vllm-experts",
        basis=Basis.DERIVED,
    )


def stage_inputs(architecture: Architecture, step: Step) -> Line:
    """What a later stage is handed of the widest step: hidden states and residual, kept for it."""
    size = step.tokens * architecture.hidden * step.compute_bytes
    return Line(
        key="stage_inputs",
        bytes=2 * size,
        formula="2 × step_tokens × hidden × compute_bytes",
        terms={
            "step_tokens": step.tokens,
            "hidden": architecture.hidden,
            "compute_bytes": step.compute_bytes,
        },
        source="vllm-stage-inputs",
        basis=Basis.DERIVED,
    )


def encoded_images(architecture: Architecture, step: Step, *, padded: bool) -> Line | None:
    """What the tower for images puts out in the profile: as many tokens as fit into a step.

    `padded`: each image of that step is held as wide as all may be together (vLLM to 0.12).
    """
    tower = architecture.tower
    if tower is None:
        return None
    images = max(1, step.tokens // tower.tokens) if padded and tower.tokens else 1
    size = images * step.tokens * architecture.hidden * step.compute_bytes
    return Line(
        key="encoded_images",
        bytes=size,
        formula="images × step_tokens × hidden × compute_bytes",
        terms={
            "images": images,
            "step_tokens": step.tokens,
            "hidden": architecture.hidden,
            "compute_bytes": step.compute_bytes,
        },
        source="vllm-0.14.1-workspace",
        basis=Basis.DERIVED,
        low_bytes=0,
        high_bytes=3 * size,  # pixels of as many images lie beside them
    )


def _width(architecture: Architecture, step: Step, *, keeps_experts: bool) -> int:
    """Elements a token at the widest instant of any block."""
    return max(
        max(
            _attending(block, architecture.hidden, step),
            _thinking(block, architecture, step, keeps_experts=keeps_experts),
        )
        for _, block in architecture.stack
    )


def _attending(block: Block, hidden: int, step: Step) -> int:
    """The stream; q, k and v in one, q and k rotated, and what attention puts out."""
    match block.attention:
        case Attention() as attention:
            query = -(-attention.query_width // step.cards)
            keys = -(-attention.kv_width // step.cards)
            return hidden + 3 * query + 3 * keys
        case LatentAttention() as latent:
            heads = -(-latent.query_heads // step.cards)
            whole = latent.nope_dim + latent.rope_dim
            return hidden + heads * (2 * whole + latent.nope_dim + 2 * latent.value_dim)
        case mixer:
            return hidden + 3 * -(-mixer.output_width // step.cards)


def _thinking(block: Block, architecture: Architecture, step: Step, *, keeps_experts: bool) -> int:
    """The stream twice, what attention put out, and the MLP's inner tensors."""
    hidden = architecture.hidden
    held = STREAMS * hidden + -(-block.attention.output_width // step.cards)
    mlp = block.mlp
    if isinstance(mlp, ExpertsMlp):
        own = 0 if keeps_experts else _expert_width(mlp, hidden, step.experts)
        return held + hidden + GATED * -(-mlp.shared_inner // step.cards) + own
    copies = PLAIN if isinstance(mlp, PlainMlp) else GATED
    return held + copies * -(-mlp.token_inner // step.cards)


def _expert_width(mlp: object, hidden: int, cards: int) -> int:
    if not isinstance(mlp, ExpertsMlp):
        return 0
    inner = -(-mlp.inner // cards)
    out = mlp.latent or hidden
    return mlp.per_token * (max(inner * (1 if mlp.plain else 2), out) + max(inner, out))
