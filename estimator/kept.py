"""What one block keeps for its backward, counted module by module, in bytes a token.

For a frozen 16-bit base (h hidden, q and κ the query and key widths, I the MLP's, a the
heads): 8h + 4q + 4κ + 6I + 4a + 8. On top of it, a trained linear keeps its input once
for each distinct tensor, a trained norm what it scaled, an adapter its own copy of its
input. Sources: the modules of transformers 5 and peft 0.21; memory-efficient attention
keeps q, k, v, its output and the log-sum-exp.

Left out: what autocast upcasts inside `gelu_new`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from estimator.adapted import adapter_sizes, adapters, keeps_output
from estimator.architecture import Architecture
from estimator.block_kinds import kind_of
from estimator.block_tape import block_program, block_sizes
from estimator.blocks import Block
from estimator.graph import FP32, HALF, RMS_NORMS, Graph, Part
from estimator.kept_mixers import mixer_kept, mixer_sizes
from estimator.kept_mlps import mlp_kept
from estimator.mlps import GatedMlp, NoMlp
from estimator.tensors import NormKind
from estimator.words import Library


@dataclass(frozen=True, slots=True)
class PerToken:
    """Bytes a token as a sum of coefficient × size, with the sizes' names."""

    coefficients: Mapping[str, int]
    sizes: Mapping[str, int]

    @property
    def bytes(self) -> int:
        return sum([factor * self.sizes[name] for name, factor in self.coefficients.items()])

    def text(self, suffix: str) -> str:
        rest = sorted(self.coefficients.items(), key=lambda item: item[1] < 0)  # none first
        parts = (f"{'-' if f < 0 else '+'} {abs(f)} × {name}{suffix}" for name, f in rest if f)
        return " ".join(parts).removeprefix("+ ")

    def terms(self, suffix: str) -> dict[str, int]:
        return {f"{name}{suffix}": self.sizes[name] for name, f in self.coefficients.items() if f}


Shares = tuple[PerToken, ...]


def kept_by_block(block: Block, hidden: int, *, seq: int, graph: Graph) -> PerToken:
    """Bytes a token that one block keeps from forward to its backward.

    Of other libraries than transformers it is read off the tape of their code.
    """
    if graph.library is not Library.TRANSFORMERS:
        kept = block_program(kind_of(block), graph.kind).kept
        return PerToken(kept, block_sizes(block, hidden, seq=seq, graph=graph))
    sizes = {
        **graph.widths(hidden),
        **mixer_sizes(block.attention, seq),
        **_beside_sizes(block, seq),
        "inner": block.mlp.token_inner,
        "linear_inner": block.mlp.linear_inner,
        "tokenwise": 1,
        **adapter_sizes(block, hidden, graph),
    }
    found = dict.fromkeys(sizes, 0)
    parts = (
        _norms(block, graph),
        mixer_kept(block.attention, graph),
        _beside(block, graph),
        mlp_kept(block.mlp, graph),
        _linear_inputs(block, graph),
        adapters(block, hidden, graph),
    )
    for part in parts:
        for name, factor in part:
            found[name] += factor
    return PerToken({n: f for n, f in found.items() if f}, sizes)


def kept_shares(architecture: Architecture, *, seq: int, graph: Graph) -> Shares:
    """What a block of each kind keeps, in the order of the stack."""
    hidden = architecture.hidden
    return tuple(
        kept_by_block(block, hidden, seq=seq, graph=graph) for _, block in architecture.stack
    )


def kept_tensors(architecture: Architecture, graph: Graph) -> int:
    """How many tensors all blocks keep."""
    return sum(
        count * block_program(kind_of(block), graph.kind).tensors
        for count, block in architecture.stack
    )


def widest_block(architecture: Architecture, shares: Shares) -> tuple[Block, PerToken]:
    """The block that keeps the most, and its share."""
    blocks = ((block, share) for (_, block), share in zip(architecture.stack, shares, strict=True))
    return max(blocks, key=lambda found: found[1].bytes)


def _norms(block: Block, graph: Graph) -> Part:
    """RMSNorm keeps its input in fp32 and one number a token; trained, its output too.

    LayerNorm keeps its input as it is, which parallel branches share, and two numbers;
    under autocast it runs in fp32, and a 16-bit stream is cast for each.
    """
    sites = block.norms
    if graph.dropout:
        yield "hidden", len(block.mixers) + 1  # one-byte masks behind mixers and MLP
    if graph.norm in RMS_NORMS:
        yield "hidden", FP32 * sites
        yield "tokenwise", FP32 * sites
        if graph.norm is NormKind.RMS_KEEPING and graph.stream < FP32:
            yield "hidden", graph.stream * sites
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
        if graph.inputs_kept:
            yield from _int8_inputs(block, graph)
        return
    if not keeps_output(block):
        yield "inner", graph.compute
    if graph.recast:
        readers = sum(len(mixer.input_modules) for mixer in block.mixers) + _mlp_readers(block)
        yield graph.given, HALF * readers
    else:
        yield graph.given, _inputs(block) * graph.compute


def _inputs(block: Block) -> int:
    """Distinct inputs of its first linears: the mixers' and the MLP's."""
    mixers = any(mixer.input_modules for mixer in block.mixers)
    return int(mixers) + (0 if isinstance(block.mlp, NoMlp) else 1)


def _beside_sizes(block: Block, seq: int) -> Mapping[str, int]:
    if block.beside is None:
        return {}
    return {f"beside_{name}": size for name, size in mixer_sizes(block.beside, seq).items()}


def _beside(block: Block, graph: Graph) -> Part:
    """What the second mixer keeps; its sizes have names of their own."""
    if block.beside is None:
        return
    for name, factor in mixer_kept(block.beside, graph):
        yield (name if name == "tokenwise" else f"beside_{name}"), factor


def _int8_inputs(block: Block, graph: Graph) -> Part:
    """An int8 linear keeps its input though it is frozen; routed experts are none."""
    yield "hidden", graph.compute * (2 if block.mlp.linear_inner else 1)
    yield "linear_inner", graph.compute


def int8_input_bytes(block: Block, hidden: int, graph: Graph) -> int:
    """Bytes a token of the inputs of a block's int8 linears, attention's output among them."""
    sizes = {"hidden": hidden, "linear_inner": block.mlp.linear_inner}
    inputs = sum(factor * sizes[name] for name, factor in _int8_inputs(block, graph))
    return inputs + block.attention.output_width * graph.attending


def _mlp_readers(block: Block) -> int:
    match block.mlp:
        case GatedMlp():
            return len(block.mlp.modules) - 1
        case NoMlp():
            return 0
        case _:
            return 1
