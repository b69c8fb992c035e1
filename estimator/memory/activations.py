"""Activations that wait for backward, and what recomputing one block brings back."""

from collections.abc import Iterable

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.breakdown import Basis, Line
from estimator.graph import FP32, HALF, RMS_NORMS, Graph
from estimator.kept import PerToken, Shares, int8_input_bytes
from estimator.kept_selective import shared_with_plain
from estimator.program import Widths
from estimator.tensors import Role, Tensor
from estimator.words import Checkpointing, Library

SOURCE = "transformers-llama"
HEAD = "lm_head"
STASH = 5  # saved tensors that wait while they are copied to host memory


def kept_activations(
    architecture: Architecture,
    shares: Shares,
    *,
    tokens: int,
    unread_by_first: int = 0,
) -> Line:
    """Every block's share, for every token; `shares`: of each kind in the stack.

    `unread_by_first`: bytes a token that the first block does not keep.
    """
    total, texts, terms = 0, [], {"tokens": tokens}
    counts = (count for count, _ in architecture.stack)
    for number, (count, share) in enumerate(zip(counts, shares, strict=True), start=1):
        suffix = "" if len(shares) == 1 else f"_{number}"
        total += tokens * count * share.bytes
        texts.append(f"layers{suffix} × ({share.text(suffix)})")
        terms |= {f"layers{suffix}": count} | share.terms(suffix)
    text = " + ".join(texts)
    if unread_by_first:
        total -= tokens * unread_by_first
        text, terms["first_bytes"] = f"{text} - first_bytes", unread_by_first
    return Line(
        key="activations",
        bytes=total,
        formula=f"tokens × ({text})",
        terms=terms,
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def checkpoints(
    architecture: Architecture, *, tokens: int, graph: Graph, how: Checkpointing
) -> Line | None:
    """With checkpointing: the residual stream in front of each checkpointed block.

    Offloaded ones lie in host memory. An int8 linear's input hangs on its own state, which
    recomputing does not drop: each block keeps those.
    """
    inputs = _held_inputs(architecture, graph)
    offloaded = how in (Checkpointing.OFFLOADED, Checkpointing.UNSLOTH)
    if offloaded and not inputs:
        return None
    kept = 0 if offloaded else architecture.depth
    hidden = architecture.hidden // graph.spread
    terms = {
        "tokens": tokens,
        "checkpoints": kept,
        "hidden": hidden,
        "stream_bytes": graph.stream,
    }
    formula = "tokens × checkpoints × hidden × stream_bytes"
    if inputs:
        terms["int8_input_bytes"] = inputs
        formula = "tokens × (checkpoints × hidden × stream_bytes + int8_input_bytes)"
    return Line(
        key="checkpoints",
        bytes=tokens * (kept * hidden * graph.stream + inputs),
        formula=formula,
        terms=terms,
        source="torch-checkpoint",
        basis=Basis.COUNTED,
    )


def _held_inputs(architecture: Architecture, graph: Graph) -> int:
    """Bytes a token of all int8 linears' inputs: each distinct one once, attention's output too."""
    if not graph.inputs_kept:
        return 0
    return sum(
        count * int8_input_bytes(block, architecture.hidden, graph)
        for count, block in architecture.stack
    )


def recomputed_block(
    block: Block, share: PerToken, hidden: int, *, tokens: int, graph: Graph, how: Checkpointing
) -> Line:
    """What recomputing `block` brings back: its `share` of what is kept.

    Selective checkpointing brings back only what was not kept.
    """
    terms = {"tokens": tokens}
    formula, size = f"tokens × ({share.text('')})", share.bytes
    if how is Checkpointing.SELECTIVE:
        kept = shared_with_plain(block, hidden, graph=graph)
        terms["kept_bytes"], size = kept, size - kept
        formula = f"tokens × ({share.text('')} - kept_bytes)"
    return Line(
        key="recomputed_block",
        bytes=tokens * size,
        formula=formula,
        terms=terms | share.terms(""),
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def above_kept(key: str, peak: Widths, kept: Widths, *, sizes: Widths, tokens: int) -> Line:
    """How far a pass rises above what is kept: `peak` less `kept`, both bytes a token by size."""
    widths = dict(peak)
    for name, width in kept.items():
        widths[name] = widths.get(name, 0) - width
    share = PerToken({name: width for name, width in widths.items() if width}, sizes)
    return Line(
        key=key,
        bytes=max(0, tokens * share.bytes),
        formula=f"max(0, tokens × ({share.text('') or '0'}))",
        terms={"tokens": tokens} | share.terms(""),
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def head_activations(architecture: Architecture, *, tokens: int, graph: Graph) -> Line:
    """The final norm and the head: the norm's input, and if trained what each then reads.

    RMSNorm keeps its input in fp32 and, trained, what it scaled; LayerNorm its input alone.
    """
    if graph.norm in RMS_NORMS:
        width = FP32 + (graph.scaled_bytes if graph.final_norm_trained else 0)
    else:
        width = FP32 if graph.autocast and graph.stream < FP32 else graph.stream
    given = graph.compute if graph.head_trained else 0
    given += _adapted_head_bytes(graph)
    if graph.library is Library.MEGATRON:  # its own tokens' norm input, and what the head reads
        return _spread_head(
            architecture.hidden, graph.stream + given, 0, tokens=tokens, graph=graph
        )
    if graph.spread > 1:
        return _spread_head(architecture.hidden, width, given, tokens=tokens, graph=graph)
    width += given
    return Line(
        key="head_activations",
        bytes=tokens * architecture.hidden * width,
        formula="tokens × hidden × head_bytes",
        terms={"tokens": tokens, "hidden": architecture.hidden, "head_bytes": width},
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def _spread_head(hidden: int, width: int, given: int, *, tokens: int, graph: Graph) -> Line:
    """The norm of a card's own tokens, and the head's input, gathered of all."""
    own = hidden // graph.spread
    terms = {"hidden": hidden, "own_hidden": own, "norm_bytes": width, "head_bytes": given}
    return Line(
        key="head_activations",
        bytes=tokens * (own * width + hidden * given),
        formula="tokens × (own_hidden × norm_bytes + hidden × head_bytes)",
        terms={"tokens": tokens} | terms,
        source="torch-tensor-parallel",
        basis=Basis.DERIVED,
    )


def _adapted_head_bytes(graph: Graph) -> int:
    """Of LitGPT's head: its input, if it is packed, and the input of an adapter on it."""
    adapter = graph.adapter
    if graph.library is not Library.LITGPT or adapter is None:
        return 0
    kept = graph.compute if graph.inputs_kept else 0
    if HEAD not in adapter.targets:
        return kept
    return kept + 1 + graph.compute if adapter.dropout else max(kept, graph.compute)


def embedded_tokens(architecture: Architecture, *, tokens: int, graph: Graph) -> Line:
    """The embedding's output, held for a gradient that nothing asks for."""
    return Line(
        key="embedded_tokens",
        bytes=tokens * architecture.hidden * graph.stream,
        formula="tokens × hidden × stream_bytes",
        terms={
            "tokens": tokens,
            "hidden": architecture.hidden,
            "stream_bytes": graph.stream,
        },
        source="peft-prompt",
        basis=Basis.COUNTED,
    )


def in_flight(block: Block, hidden: int, *, tokens: int, graph: Graph) -> Line:
    """Saved tensors on their way to host memory: five of the widest that a block keeps."""
    width = max(hidden * FP32, block.mlp.token_inner * graph.compute)
    return Line(
        key="offloading_stash",
        bytes=STASH * tokens * width,
        formula="stash × tokens × widest_bytes",
        terms={"stash": STASH, "tokens": tokens, "widest_bytes": width},
        source="trl-activation-offloading",
        basis=Basis.DERIVED,
    )


def fp8_copies(block: Block, hidden: int, *, tokens: int) -> Line | None:
    """A linear's input or gradient, and its weight, in eight bits while they are multiplied."""
    linears = [tensor for tensor in block.one(hidden) if tensor.role is Role.LINEAR]
    if not linears:
        return None
    widest = max(linears, key=lambda t: t.elements + tokens * max(t.rows, t.columns))
    terms = {
        "weight": widest.elements,
        "tokens": tokens,
        "width": max(widest.rows, widest.columns),
    }
    return Line(
        key="fp8_copies",
        bytes=terms["weight"] + tokens * terms["width"],
        formula="weight + tokens × width",
        terms=terms,
        source="torchao-float8",
        basis=Basis.DERIVED,
    )


def rotary_tables(architecture: Architecture, *, seq: int, graph: Graph) -> Line | None:
    """Cosines and sines of every position, which all blocks read; shape (seq, width) twice.

    One pair for all blocks and sequences. Left out: partial rotation, whose width differs, and
    the second pair of models that turn sliding layers at another pace (Gemma 3).
    """
    width = architecture.rotary_width
    if not width:
        return None
    return Line(
        key="rotary_tables",
        bytes=2 * seq * width * graph.stream,
        formula="2 × seq × rotary_width × stream_bytes",
        terms={"seq": seq, "rotary_width": width, "stream_bytes": graph.stream},
        source=SOURCE,
        basis=Basis.COUNTED,
    )


def head_cast(architecture: Architecture) -> Line:
    """Autocast's 16-bit copy of an fp32 head (tied or not), kept until its backward."""
    return Line(
        key="head_copy",
        bytes=architecture.vocabulary * architecture.hidden * HALF,
        formula="vocabulary × hidden × half_bytes",
        terms={
            "vocabulary": architecture.vocabulary,
            "hidden": architecture.hidden,
            "half_bytes": HALF,
        },
        source="torch-autocast",
        basis=Basis.DERIVED,
    )


def weight_casts(trained: Iterable[Tensor]) -> Line:
    """Autocast's 16-bit copies of fp32 matrices: cached through forward, kept by the graph."""
    elements = sum(
        tensor.parameters
        for tensor in trained
        if tensor.role in (Role.LINEAR, Role.EXPERT, Role.ROUTER)
    )
    return Line(
        key="autocast_copies",
        bytes=elements * HALF,
        formula="matrix_parameters × half_bytes",
        terms={"matrix_parameters": elements, "half_bytes": HALF},
        source="torch-autocast",
        basis=Basis.DERIVED,
    )
