"""What the blocks keep for backward, counted module by module.

Bytes a token of one block, for a frozen 16-bit base (h hidden, q and κ the query and
key widths, I the MLP's, a the heads): 8h + 4q + 4κ + 6I + 4a + 8. On top of it, a
trained linear keeps its input once for each distinct tensor, a trained norm what it
scaled, an adapter its own copy of its input. Sources: the modules of transformers 5
and peft 0.21; memory-efficient attention keeps q, k, v, its output and the log-sum-exp.

Left out: dropout of the base (GPT-2, OPT) and composite activations (gelu_new), which
keep more; a factor of the norms of norm-after blocks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from estimator.architecture import (
    Architecture,
    Attention,
    Block,
    ExpertsMlp,
    GatedMlp,
    NormKind,
    QkNorm,
    Role,
    Tensor,
)
from estimator.breakdown import Basis, Line
from estimator.request import AttentionKernel, Checkpointing
from estimator.setup import Adapter

FP32 = 4
HALF = 2
SOURCE = "transformers-llama"


@dataclass(frozen=True, slots=True)
class Graph:
    """How the forward graph holds its tensors, in bytes an element.

    `stream`: the residual stream; `compute`: what linears put out and attention keeps.
    `base_trained`: the base's weights get gradients. `recast`: fp32 weights under
    autocast, where each linear casts its own input. `autocast`: adapters too are cast.
    """

    stream: int
    compute: int
    base_trained: bool
    recast: bool
    autocast: bool
    attention: AttentionKernel
    adapter: Adapter | None


@dataclass(frozen=True, slots=True)
class PerToken:
    """Bytes a token as a sum of coefficient × size, with the sizes' names."""

    coefficients: Mapping[str, int]
    sizes: Mapping[str, int]

    @property
    def bytes(self) -> int:
        return sum(factor * self.sizes[name] for name, factor in self.coefficients.items())

    def text(self, suffix: str) -> str:
        parts = (f"{f} × {name}{suffix}" for name, f in self.coefficients.items() if f)
        return " + ".join(parts)

    def terms(self, suffix: str) -> dict[str, int]:
        return {f"{name}{suffix}": self.sizes[name] for name, f in self.coefficients.items() if f}


def kept_by_block(
    block: Block, hidden: int, *, norm: NormKind, seq: int, graph: Graph
) -> PerToken:
    """Bytes a token that one block keeps from forward to its backward."""
    attention = block.attention
    sizes = {
        "hidden": hidden,
        "query": attention.query_width,
        "kv": attention.kv_width,
        "inner": block.mlp.token_inner,
        "heads": attention.query_heads,
        "seq": seq,
        "tokenwise": 1,
        "adapter_inputs": _adapter_inputs(block, hidden, graph),
        "adapter_outputs": _adapter_outputs(block, hidden, graph),
        "rank": graph.adapter.rank if graph.adapter else 0,
    }
    found = dict.fromkeys(sizes, 0)
    parts = (
        _norms(block, norm, graph),
        _attention(attention, graph),
        _mlp(block, graph),
        _linear_inputs(block, graph),
        _adapters(block, hidden, graph),
    )
    for part in parts:
        for name, factor in part:
            found[name] += factor
    if graph.attention is AttentionKernel.EAGER:
        # the score matrix, (heads, seq) a token: softmax in fp32, its copy in 16 bits
        scores = FP32 + (graph.compute if graph.compute < FP32 else 0)
        sizes["scores"] = attention.query_heads * seq
        found["scores"] = scores
    return PerToken({n: f for n, f in found.items() if f}, sizes)


Part = Iterator[tuple[str, int]]


def _norms(block: Block, norm: NormKind, graph: Graph) -> Part:
    """RMSNorm keeps its input in fp32 and one number a token; trained, its output too."""
    sites = block.norms
    if norm in (NormKind.RMS, NormKind.RMS_PLUS_ONE):
        yield "hidden", FP32 * sites
        yield "tokenwise", FP32 * sites
        if graph.base_trained:
            in_fp32 = graph.recast or norm is NormKind.RMS_PLUS_ONE
            yield "hidden", (FP32 if in_fp32 else graph.stream) * sites
    else:
        yield "hidden", (FP32 if graph.recast else graph.stream) * sites
        yield "tokenwise", 2 * FP32 * sites  # mean and deviation


def _attention(attention: Attention, graph: Graph) -> Part:
    """q, k, v as attention got them, its output, and a log-sum-exp a head."""
    yield "query", 2 * graph.compute
    yield "kv", 2 * graph.compute
    yield "heads", FP32
    if attention.qk_norm is not QkNorm.NONE:
        width = FP32 + (graph.compute if graph.base_trained else 0)
        yield "query", width
        yield "kv", width
        yield "heads", FP32
        yield "tokenwise", FP32 * attention.kv_heads


def _mlp(block: Block, graph: Graph) -> Part:
    """Gate, up and the activated gate; or the one input of a plain activation."""
    match block.mlp:
        case GatedMlp():
            yield "inner", 3 * graph.compute
        case ExpertsMlp() as mlp:
            yield "inner", 3 * graph.compute
            yield "hidden", 2 * mlp.per_token * graph.compute  # tokens sent out and back
            yield "tokenwise", FP32 * mlp.experts
        case _:
            yield "inner", graph.compute


def _linear_inputs(block: Block, graph: Graph) -> Part:
    """A trained linear keeps its input; o's is attention's output, kept already."""
    if not graph.base_trained:
        return
    yield "inner", graph.compute
    if graph.recast:
        readers = len(block.attention.modules) - 1 + _mlp_readers(block)
        yield "hidden", HALF * readers
    else:
        yield "hidden", 2 * graph.compute


def _mlp_readers(block: Block) -> int:
    return 1 if not isinstance(block.mlp, GatedMlp) else len(block.mlp.modules) - 1


def _adapters(block: Block, hidden: int, graph: Graph) -> Part:
    """Each adapter keeps its own input, cast to its type; in 16 bits it shares the base's."""
    adapter = graph.adapter
    if adapter is None:
        return
    targeted = sum(1 for _ in _targeted(block, hidden, adapter))
    width = HALF if graph.autocast else adapter.dtype.bytes_per_block
    if width > graph.compute or graph.autocast:
        yield "adapter_inputs", width
    else:
        yield from _shared_inputs(block, adapter, width)
    yield "rank", width * targeted
    if adapter.dropout:
        yield "adapter_inputs", 1 if width > HALF or graph.autocast else 1 + width
    if adapter.magnitudes:
        yield "adapter_outputs", 2 * HALF if graph.autocast else FP32 + HALF


def _shared_inputs(block: Block, adapter: Adapter, width: int) -> Part:
    """16-bit adapters: one copy for each distinct input that a target reads."""
    readers = set(block.attention.modules[:-1])
    if readers & set(adapter.targets):
        yield "hidden", width
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    if mlp and set(mlp[:-1]) & set(adapter.targets):
        yield "hidden", width
    if mlp and mlp[-1] in adapter.targets:
        yield "inner", width


def _targeted(block: Block, hidden: int, adapter: Adapter) -> Iterable[tuple[int, int]]:
    """(inputs, outputs) of every targeted linear of the block."""
    tensors = (*block.attention.tensors(hidden, 1), *block.mlp.tensors(hidden, 1))
    for tensor in tensors:
        if tensor.role is Role.LINEAR and tensor.module in adapter.targets:
            yield tensor.columns, tensor.rows


def _adapter_inputs(block: Block, hidden: int, graph: Graph) -> int:
    if graph.adapter is None:
        return 0
    return sum(inputs for inputs, _ in _targeted(block, hidden, graph.adapter))


def _adapter_outputs(block: Block, hidden: int, graph: Graph) -> int:
    if graph.adapter is None:
        return 0
    return sum(outputs for _, outputs in _targeted(block, hidden, graph.adapter))


def kept_activations(
    architecture: Architecture, *, tokens: int, seq: int, graph: Graph
) -> Line:
    """Without checkpointing: every block's share, for every token."""
    shares = [
        (count, kept_by_block(block, architecture.hidden, norm=architecture.norm, seq=seq, graph=graph))
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
        kept_by_block(block, architecture.hidden, norm=architecture.norm, seq=seq, graph=graph)
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
    """The final norm and the head: the norm's fp32 input, the head's own input if trained."""
    trained = 2 * graph.stream if graph.base_trained else 0
    return Line(
        key="head_activations",
        bytes=tokens * architecture.hidden * (FP32 + trained),
        formula="tokens × hidden × head_bytes",
        terms={"tokens": tokens, "hidden": architecture.hidden, "head_bytes": FP32 + trained},
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def weight_casts(trained: Iterable[Tensor]) -> Line:
    """Autocast's 16-bit copies of fp32 matrices: cached through forward, kept by the graph."""
    elements = sum(
        tensor.parameters
        for tensor in trained
        if tensor.role in (Role.LINEAR, Role.EXPERT, Role.HEAD, Role.ROUTER)
    )
    return Line(
        key="autocast_copies",
        bytes=elements * HALF,
        formula="matrix_parameters × half_bytes",
        terms={"matrix_parameters": elements, "half_bytes": HALF},
        source="torch-autocast",
        basis=Basis.DERIVED,
    )
