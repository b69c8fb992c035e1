"""Activations that wait for backward, and what recomputing one block brings back."""

from collections.abc import Iterable

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.graph import FP32, HALF, RMS_NORMS, Graph
from estimator.kept import kept_by_block
from estimator.tensors import Role, Tensor
from estimator.words import Checkpointing

SOURCE = "transformers-llama"


def kept_activations(architecture: Architecture, *, tokens: int, seq: int, graph: Graph) -> Line:
    """Without checkpointing: every block's share, for every token."""
    shares = [
        (
            count,
            kept_by_block(block, architecture.hidden, seq=seq, graph=graph),
        )
        for count, block in architecture.stack
    ]
    total, texts, terms = 0, [], {"tokens": tokens}
    for number, (count, share) in enumerate(shares, start=1):
        suffix = "" if len(shares) == 1 else f"_{number}"
        total += tokens * count * share.bytes
        texts.append(f"layers{suffix} × ({share.text(suffix)})")
        terms |= {f"layers{suffix}": count} | share.terms(suffix)
    return Line(
        key="activations",
        bytes=total,
        formula=f"tokens × ({' + '.join(texts)})",
        terms=terms,
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def checkpoints(
    architecture: Architecture, *, tokens: int, graph: Graph, how: Checkpointing
) -> Line | None:
    """With checkpointing: the residual stream in front of each checkpointed block.

    Offloaded ones lie in host memory; every second block halves them.
    """
    if how in (Checkpointing.OFFLOADED, Checkpointing.UNSLOTH):
        return None
    kept = -(-architecture.depth // 2) if how is Checkpointing.EVERY_2 else architecture.depth
    return Line(
        key="checkpoints",
        bytes=tokens * kept * architecture.hidden * graph.stream,
        formula="tokens × checkpoints × hidden × stream_bytes",
        terms={
            "tokens": tokens,
            "checkpoints": kept,
            "hidden": architecture.hidden,
            "stream_bytes": graph.stream,
        },
        source="torch-checkpoint",
        basis=Basis.COUNTED,
    )


def largest_block(
    architecture: Architecture, *, tokens: int, seq: int, graph: Graph, at_once: int = 1
) -> Line:
    """What recomputing one block brings back: the block that keeps the most."""
    shares = [
        kept_by_block(block, architecture.hidden, seq=seq, graph=graph)
        for _, block in architecture.stack
    ]
    share = max(shares, key=lambda s: s.bytes)
    return Line(
        key="recomputed_block",
        bytes=tokens * at_once * share.bytes,
        formula=f"tokens × blocks × ({share.text('')})",
        terms={"tokens": tokens, "blocks": at_once} | share.terms(""),
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def backward_temporaries(architecture: Architecture, *, tokens: int, graph: Graph) -> Line:
    """Gradients of activations alive at once in one block's backward.

    The widest is the MLP's inner one, in the graph's type; an adapter's own path adds
    it again in its type.
    """
    inner = max(block.mlp.token_inner for _, block in architecture.stack)
    width = graph.compute + (FP32 if graph.adapter else 0)
    return Line(
        key="backward_temporaries",
        bytes=tokens * inner * width,
        formula="tokens × inner × gradient_bytes",
        terms={"tokens": tokens, "inner": inner, "gradient_bytes": width},
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def head_activations(architecture: Architecture, *, tokens: int, graph: Graph) -> Line:
    """The final norm and the head: the norm's input, and if trained what each then reads.

    RMSNorm keeps its input in fp32 and, trained, what it scaled; LayerNorm its input alone.
    """
    if graph.norm in RMS_NORMS:
        width = FP32 + (graph.scaled_bytes if graph.base_trained else 0)
    else:
        width = FP32 if graph.autocast and graph.stream < FP32 else graph.stream
    width += graph.compute if graph.base_trained else 0
    return Line(
        key="head_activations",
        bytes=tokens * architecture.hidden * width,
        formula="tokens × hidden × head_bytes",
        terms={"tokens": tokens, "hidden": architecture.hidden, "head_bytes": width},
        source=SOURCE,
        basis=Basis.DERIVED,
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
