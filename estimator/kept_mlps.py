"""What a block's MLP keeps for its backward, in bytes a token."""

from typing import assert_never

from estimator.graph import FP32, Graph, Part
from estimator.mlps import Activation, ExpertsMlp, GatedMlp, NoMlp, PlainMlp, Routing

INDEX = 8  # int64: which expert a token goes to, and its place in the sorted order
INDICES = 4  # chosen, sorted, divided back to tokens, and the way back

# Intermediate results of activations that are written out in PyTorch.
WRITTEN_OUT = (Activation.GELU_NEW,)
RECAST = 3
STEPS = {Activation.GELU_NEW: 4, Activation.XIELU: 5}


def mlp_kept(mlp: GatedMlp | PlainMlp | ExpertsMlp | NoMlp, graph: Graph) -> Part:
    """Gate, up and the activated gate; or what a plain activation keeps.

    `gelu_new` is written out in PyTorch: x, x/2, tanh and 1 + tanh are all kept, of a gated MLP
    in fp32 under autocast. Dropout keeps a mask of one byte.
    """
    match mlp:
        case GatedMlp():
            act = graph.compute
            if mlp.written_out:
                act = STEPS[Activation.GELU_NEW] * (FP32 if graph.autocast else graph.compute)
            yield "inner", 2 * graph.compute + act + int(mlp.dropout)
        case ExpertsMlp():
            yield from _experts(mlp, graph)
        case PlainMlp():
            yield "inner", STEPS.get(mlp.activation, 1) * graph.compute + int(mlp.dropout)
        case NoMlp():
            return
        case _:
            assert_never(mlp)


def recast_width(mlp: GatedMlp | PlainMlp | ExpertsMlp | NoMlp, graph: Graph) -> int:
    """Bytes more for each inner element where autocast runs `pow` in fp32, as on CUDA.

    Then the input of `pow`, tanh and 1 + tanh of `gelu_new` are fp32; elsewhere 16 bits.
    """
    if not (graph.autocast and isinstance(mlp, PlainMlp)) or mlp.activation not in WRITTEN_OUT:
        return 0
    return RECAST * (FP32 - graph.compute)


def _experts(mlp: ExpertsMlp, graph: Graph) -> Part:
    """As a gated MLP for each expert that a token passes, and what routes it.

    The experts' output waits to be weighed; their sorted input is kept by trained weights.
    A clamped one keeps gate and up, the clamped gate, its sigmoid, both products' factors.
    """
    yield "inner", (6 if mlp.clamped else 1 if mlp.plain else 3) * graph.compute
    routed = "hidden" if mlp.held else graph.given
    yield routed, mlp.per_token * graph.compute * (2 if graph.base_trained else 1)
    if mlp.router_in_fp32 and graph.base_trained and graph.compute < FP32:
        yield routed, FP32
    yield from _routing(mlp, graph)


def _routing(mlp: ExpertsMlp, graph: Graph) -> Part:
    match mlp.routing:
        case Routing.CHOSEN:  # weights as chosen and sorted, and one order more
            yield "tokenwise", mlp.per_token * ((INDICES + 1) * INDEX + 2 * graph.compute)
        case Routing.PLAIN:
            yield "tokenwise", FP32 * mlp.experts + mlp.per_token * (INDICES * INDEX + FP32)
        case Routing.RENORMALISED:  # the chosen scores once more, and their sum
            weights = 2 * FP32
            yield "tokenwise", FP32 * mlp.experts + mlp.per_token * (INDICES * INDEX + weights)
            yield "tokenwise", FP32
        case _:
            assert_never(mlp.routing)
