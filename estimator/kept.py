"""What one block keeps for its backward, counted module by module, in bytes a token.

For a frozen 16-bit base (h hidden, q and κ the query and key widths, I the MLP's, a the
heads): 8h + 4q + 4κ + 6I + 4a + 8. On top of it, a trained linear keeps its input once
for each distinct tensor, a trained norm what it scaled, an adapter its own copy of its
input. Sources: the modules of transformers 5 and peft 0.21; memory-efficient attention
keeps q, k, v, its output and the log-sum-exp.

Left out: that a frozen first block needs no gradient in front of its first norm (4h once),
and what autocast upcasts inside `gelu_new`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from estimator.blocks import Block
from estimator.graph import FP32, HALF, RMS_NORMS, Graph, Part
from estimator.kept_mixers import mixer_kept, mixer_sizes
from estimator.kept_mlps import mlp_kept
from estimator.mlps import Activation, GatedMlp, PlainMlp
from estimator.setup import Adapter
from estimator.tensors import Role


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
    sizes = {
        "hidden": hidden,
        **mixer_sizes(block.attention, seq),
        "inner": block.mlp.token_inner,
        "tokenwise": 1,
        "adapter_inputs": _adapter_inputs(block, hidden, graph),
        "adapter_outputs": _adapter_outputs(block, hidden, graph),
        "rank": graph.adapter.rank if graph.adapter else 0,
    }
    found = dict.fromkeys(sizes, 0)
    parts = (
        _norms(block, graph),
        mixer_kept(block.attention, graph),
        mlp_kept(block.mlp, graph),
        _linear_inputs(block, graph),
        _adapters(block, hidden, graph),
    )
    for part in parts:
        for name, factor in part:
            found[name] += factor
    return PerToken({n: f for n, f in found.items() if f}, sizes)


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
            yield "hidden", graph.scaled_bytes * sites
        return
    cast = graph.autocast and graph.stream < FP32
    inputs = 1 if block.parallel and not cast else sites
    yield "hidden", (FP32 if cast else graph.stream) * inputs
    yield "tokenwise", 2 * FP32 * sites


def _linear_inputs(block: Block, graph: Graph) -> Part:
    """A trained linear keeps its input; o's is attention's output, kept already.

    ReLU's output, which it keeps itself, is the input of the linear behind it.
    """
    if not graph.base_trained:
        return
    if not _keeps_output(block):
        yield "inner", graph.compute
    if graph.recast:
        readers = len(block.attention.input_modules) + _mlp_readers(block)
        yield "hidden", HALF * readers
    else:
        yield "hidden", 2 * graph.compute


def _keeps_output(block: Block) -> bool:
    return isinstance(block.mlp, PlainMlp) and block.mlp.activation is Activation.RELU


def _mlp_readers(block: Block) -> int:
    return 1 if not isinstance(block.mlp, GatedMlp) else len(block.mlp.modules) - 1


def _adapters(block: Block, hidden: int, graph: Graph) -> Part:
    """Each adapter keeps its own input, cast to its type; in 16 bits it shares the base's."""
    adapter = graph.adapter
    if adapter is None:
        return
    targeted = sum(1 for _ in _targeted(block, hidden, adapter))
    width = HALF if graph.autocast else adapter.dtype.bytes_per_block
    if width > graph.compute or graph.autocast or adapter.dropout:
        yield "adapter_inputs", width  # a cast or a dropped-out copy, each its own
    else:
        yield from _shared_inputs(block, adapter, width)
    yield "rank", width * targeted
    if adapter.dropout:
        yield "adapter_inputs", 1  # the mask
    if adapter.magnitudes:
        yield "adapter_outputs", 2 * HALF if graph.autocast else FP32 + HALF


def _shared_inputs(block: Block, adapter: Adapter, width: int) -> Part:
    """16-bit adapters: one copy for each distinct input that a target reads."""
    readers = set(block.attention.input_modules)
    if readers & set(adapter.targets):
        yield "hidden", width
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    if mlp and set(mlp[:-1]) & set(adapter.targets):
        yield "hidden", width
    if mlp and mlp[-1] in adapter.targets and not _keeps_output(block):
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
