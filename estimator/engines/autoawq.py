"""AutoAWQ's fused modules: a cache made beforehand, scores written out, q, k and v joined."""

from estimator.breakdown import Basis, Line, Moment, MomentName, largest, moment
from estimator.engines.loop import Lines, cache_of, head_of_its_own, rounding
from estimator.engines.rank_weights import rank_weights
from estimator.held import held_tensors
from estimator.memory.overhead import loop_workspace
from estimator.memory.prefill import logits_of, serving_logits
from estimator.setup import ServeSetup

SOURCE = "autoawq-fused"
FP32 = 4
JOINED = ("q_proj", "k_proj", "v_proj")


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, until the joined projections take the place of the others; a prompt; a token."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    held: Lines = (
        *rank_weights(setup),
        rounding(architecture, numbers, setup.split.tp),
        *cache_of(setup, setup.context, windows=False, expands=True),
        _rotary(setup),
    )
    running: Lines = (*held, loop_workspace(setup.cards))
    width = numbers.compute.bytes_per_block
    return (
        moment(MomentName.LOAD, *held, _joined(setup), head_of_its_own(setup, "autoawq-save")),
        largest(
            (
                moment(MomentName.PREFILL, *running, _attention(setup)),
                moment(MomentName.PREFILL, *running, _mlp(setup)),
                moment(MomentName.PREFILL, *running, logits_of(setup, all_rows=True)),
            )
        ),
        moment(
            MomentName.DECODE, *running, serving_logits(setup.users, architecture.vocabulary, width)
        ),
    )


def _joined(setup: ServeSetup) -> Line:
    """Projections that were joined, once more: the old ones go with the old layers."""
    size = sum(
        dtype.size_of(tensor.elements) * tensor.copies
        for dtype, tensor in held_tensors(setup.shape.architecture, setup.numbers)
        if tensor.module in JOINED
    )
    return Line(
        key="joined_projections",
        bytes=size,
        formula="projection_bytes",
        terms={"projection_bytes": size},
        source=SOURCE,
        basis=Basis.DERIVED,
    ).divided(setup.split.tp)


def _rotary(setup: ServeSetup) -> Line | None:
    """Each layer's own complex64 table, of twice the positions."""
    architecture = setup.shape.architecture
    if not architecture.rotary_width:
        return None
    terms = {
        "layers": architecture.depth,
        "tokens": setup.context,
        "pairs": architecture.rotary_width // 2,
        "complex_bytes": 2 * FP32,
    }
    return Line(
        key="rotary_tables",
        bytes=architecture.depth * 2 * setup.context * (architecture.rotary_width // 2) * 2 * FP32,
        formula="layers × 2 × tokens × pairs × complex_bytes",
        terms=terms,
        source=SOURCE,
        basis=Basis.DERIVED,
    ).divided(setup.split.tp)


def _attention(setup: ServeSetup) -> Line:
    """Scores of a prompt, in the model's type, in fp32, and as probabilities in fp32.

    Beside them: three tensors of the stream, and queries, keys and values once as they came
    and once for every query head.
    """
    width = setup.numbers.compute.bytes_per_block
    block = max(
        (block for _, block in setup.shape.architecture.stack),
        key=lambda one: one.attention.query_heads,
    )
    heads, hidden = block.attention.query_heads, setup.shape.architecture.hidden
    tokens = setup.users * setup.prompt
    terms = {
        "tokens": tokens,
        "heads": heads,
        "prompt": setup.prompt,
        "score_bytes": width + 2 * FP32,
        "hidden": hidden,
        "compute_bytes": width,
    }
    return Line(
        key="attention_scores",
        bytes=tokens * (heads * setup.prompt * (width + 2 * FP32) + 9 * hidden * width),
        formula="tokens × (heads × prompt × score_bytes + 9 × hidden × compute_bytes)",
        terms=terms,
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def _mlp(setup: ServeSetup) -> Line:
    """Gate, up and their product, beside four tensors of the stream."""
    architecture, width = setup.shape.architecture, setup.numbers.compute.bytes_per_block
    inner = max(block.mlp.token_inner for _, block in architecture.stack)
    tokens = setup.users * setup.prompt
    return Line(
        key="pass_activations",
        bytes=tokens * (4 * architecture.hidden + 3 * inner) * width,
        formula="tokens × (4 × hidden + 3 × inner) × compute_bytes",
        terms={
            "tokens": tokens,
            "hidden": architecture.hidden,
            "inner": inner,
            "compute_bytes": width,
        },
        source=SOURCE,
        basis=Basis.DERIVED,
    )
