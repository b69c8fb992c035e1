"""What one block keeps for its backward, counted module by module, in bytes a token.

For a frozen 16-bit base (h hidden, q and κ the query and key widths, I the MLP's, a the
heads): 8h + 4q + 4κ + 6I + 4a + 8. On top of it, a trained linear keeps its input once
for each distinct tensor, a trained norm what it scaled, an adapter its own copy of its
input. Sources: the modules of transformers 5 and peft 0.21; memory-efficient attention
keeps q, k, v, its output and the log-sum-exp.

Left out: that a frozen first block needs no gradient in front of its first norm (4h once),
and what autocast upcasts inside `gelu_new`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from estimator.adapted import adapter_inputs, adapter_outputs, adapters, keeps_output, reads_output
from estimator.blocks import (
    Activation,
    Attention,
    Block,
    ExpertsMlp,
    GatedMlp,
    NormKind,
    PlainMlp,
    QkNorm,
)
from estimator.setup import Adapter
from estimator.words import AttentionKernel

FP32 = 4
HALF = 2
RMS_NORMS = (NormKind.RMS, NormKind.RMS_PLUS_ONE)


@dataclass(frozen=True, slots=True)
class Graph:
    """How the forward graph holds its tensors, in bytes an element.

    `stream`: the residual stream; `compute`: what linears put out and attention keeps.
    `base_trained`: the base's weights get gradients. `recast`: fp32 weights under
    autocast, where each linear casts its own input. `autocast`: adapters too are cast,
    and LayerNorm runs in fp32. `dropout`: the residual stream is dropped out.
    """

    stream: int
    compute: int
    base_trained: bool
    recast: bool
    autocast: bool
    norm: NormKind
    dropout: bool
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


def kept_by_block(block: Block, hidden: int, *, seq: int, graph: Graph) -> PerToken:
    """Bytes a token that one block keeps from forward to its backward."""
    attention = block.attention
    sizes = {
        "hidden": hidden,
        "query": attention.query_width,
        "kv": attention.kv_width,
        "inner": block.mlp.token_inner,
        "heads": attention.query_heads,
        "scores": attention.query_heads * seq,
        "tokenwise": 1,
        "adapter_inputs": adapter_inputs(block, hidden, graph),
        "adapter_outputs": adapter_outputs(block, hidden, graph),
        "rank": graph.adapter.rank if graph.adapter else 0,
    }
    found = dict.fromkeys(sizes, 0)
    parts = (
        _norms(block, graph),
        _attention(attention, graph),
        _mlp(block, graph),
        _linear_inputs(block, graph),
        adapters(block, hidden, graph),
    )
    for part in parts:
        for name, factor in part:
            found[name] += factor
    return PerToken({n: f for n, f in found.items() if f}, sizes)


Part = Iterator[tuple[str, int]]


def _norms(block: Block, graph: Graph) -> Part:
    """RMSNorm keeps its input in fp32 and one number a token; trained, its output too.

    LayerNorm keeps its input as it is, which parallel branches share, and two numbers;
    under autocast it runs in fp32, and a 16-bit stream is cast for each.
    """
    sites = block.norms
    if graph.dropout:
        yield "hidden", 2  # one-byte masks behind attention and MLP
    if graph.norm in RMS_NORMS:
        yield "hidden", FP32 * sites
        yield "tokenwise", FP32 * sites
        if graph.base_trained:
            in_fp32 = graph.recast or graph.norm is NormKind.RMS_PLUS_ONE
            yield "hidden", (FP32 if in_fp32 else graph.stream) * sites
        return
    cast = graph.autocast and graph.stream < FP32
    inputs = 1 if block.parallel and not cast else sites
    yield "hidden", (FP32 if cast else graph.stream) * inputs
    yield "tokenwise", 2 * FP32 * sites


def _attention(attention: Attention, graph: Graph) -> Part:
    """q, k, v as attention got them, its output, and a log-sum-exp a head.

    Without flash: the probabilities in fp32 and once more in the graph's type, and keys
    and values repeated for every query head. A fused projection is held whole by the
    slice of it that is v, unless q and k are slices of it too (no rotary embedding).
    """
    eager = graph.attention is AttentionKernel.EAGER
    yield "query", 2 * graph.compute
    yield ("query" if eager else "kv"), 2 * graph.compute
    if eager:
        yield "scores", _score_bytes(attention, graph)
    else:
        yield "heads", FP32
    if attention.fused and attention.rotary_cat:
        yield "query", graph.compute
        yield "kv", graph.compute
    if attention.rotary_cat and not eager and reads_output(attention, graph):
        yield "query", graph.compute  # made contiguous for the output projection
    if attention.qk_norm is not QkNorm.NONE:
        width = FP32 + (graph.compute if graph.base_trained else 0)
        yield "query", width
        yield "kv", width
        yield "heads", FP32
        yield "tokenwise", FP32 * attention.kv_heads


def _score_bytes(attention: Attention, graph: Graph) -> int:
    """Kept for each score: softmax's output, its copy in the graph's type, tanh, dropout."""
    if attention.half_softmax:
        kept = graph.compute
    else:
        kept = FP32 + (graph.compute if graph.compute < FP32 else 0)
    kept += graph.compute if attention.softcap else 0
    return kept + (1 + graph.compute if attention.dropout else 0)


def _mlp(block: Block, graph: Graph) -> Part:
    """Gate, up and the activated gate; or what a plain activation keeps.

    `gelu_new` is written out in PyTorch: x, x/2, tanh and 1 + tanh are all kept.
    """
    match block.mlp:
        case GatedMlp():
            yield "inner", 3 * graph.compute
        case ExpertsMlp() as mlp:
            yield "inner", 3 * graph.compute
            yield "hidden", 2 * mlp.per_token * graph.compute  # tokens sent out and back
            yield "tokenwise", FP32 * mlp.experts
        case PlainMlp() as mlp:
            steps = 4 if mlp.activation is Activation.GELU_NEW else 1
            yield "inner", steps * graph.compute


def _linear_inputs(block: Block, graph: Graph) -> Part:
    """A trained linear keeps its input; o's is attention's output, kept already.

    ReLU's output, which it keeps itself, is the input of the linear behind it.
    """
    if not graph.base_trained:
        return
    if not keeps_output(block):
        yield "inner", graph.compute
    if graph.recast:
        readers = len(block.attention.modules) - 1 + _mlp_readers(block)
        yield "hidden", HALF * readers
    else:
        yield "hidden", 2 * graph.compute


def _mlp_readers(block: Block) -> int:
    return 1 if not isinstance(block.mlp, GatedMlp) else len(block.mlp.modules) - 1
