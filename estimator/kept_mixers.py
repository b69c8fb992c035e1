"""What a block's mixer keeps for its backward, in bytes a token."""

from collections.abc import Mapping

from estimator.adapted import reads_output
from estimator.graph import FP32, SCALED_IN_FP32, Graph, Part
from estimator.kept_recurrent import StateMixer, state_kept, state_sizes
from estimator.mixers import Attention, LatentAttention
from estimator.tensors import QkNorm
from estimator.words import AttentionKernel


def mixer_sizes(mixer: Attention | LatentAttention | StateMixer, seq: int) -> Mapping[str, int]:
    """The sizes that a mixer's share is a sum over, by name."""
    heads = {"heads": mixer.query_heads, "scores": mixer.query_heads * seq}
    match mixer:
        case Attention():
            return heads | {"query": mixer.query_width, "kv": mixer.kv_width}
        case LatentAttention():
            return heads | {
                "nope": mixer.query_heads * mixer.nope_dim,
                "rope": mixer.query_heads * mixer.rope_dim,
                "value": mixer.query_heads * mixer.value_dim,
                "kv_rank": mixer.kv_rank,
                "q_rank": mixer.q_rank or 0,
            }
        case _:
            return state_sizes(mixer)


def mixer_kept(mixer: Attention | LatentAttention | StateMixer, graph: Graph) -> Part:
    """What the mixer keeps, but for the block's input and its adapters."""
    match mixer:
        case Attention():
            return _grouped(mixer, graph)
        case LatentAttention():
            return _latent(mixer, graph)
        case _:
            return state_kept(mixer, graph)


def _grouped(attention: Attention, graph: Graph) -> Part:
    """q, k, v as attention got them, its output, and a log-sum-exp a head.

    Without flash: the probabilities in fp32 and once more in the graph's type, and keys
    and values repeated for every query head. A fused projection is held whole by the
    slice of it that is v, unless q and k are slices of it too (no rotary embedding).
    """
    eager = graph.attention is AttentionKernel.EAGER
    yield "query", 2 * graph.attending
    if eager or not attention.borrows:
        yield ("query" if eager else "kv"), 2 * graph.attending
    if eager:
        yield "scores", _score_bytes(attention, graph)
    else:
        yield "heads", FP32
    if attention.fused and attention.rotary_cat and graph.attending == graph.compute:
        yield "query", graph.attending
        yield "kv", graph.attending
    if attention.rotary_cat and not eager and reads_output(attention, graph):
        yield "query", graph.attending  # made contiguous for the output projection
    if attention.output_gate:  # itself, its sigmoid, and what the output projection reads
        yield "query", graph.compute * (3 if graph.base_trained else 2)
    if attention.qk_norm is not QkNorm.NONE:
        scaled = FP32 if graph.norm in SCALED_IN_FP32 else graph.compute
        width = FP32 + (scaled if graph.base_trained else 0)
        yield "query", width
        yield "heads", FP32
        if not attention.borrows:
            yield "kv", width
            yield "tokenwise", FP32 * attention.kv_heads


def _score_bytes(attention: Attention, graph: Graph) -> int:
    """Kept for each score: softmax's output, its copy in the graph's type, tanh, dropout."""
    if attention.half_softmax:
        kept = graph.attending
    else:
        kept = FP32 + (graph.attending if graph.attending < FP32 else 0)
    kept += graph.attending if attention.softcap else 0
    return kept + (1 + graph.attending if attention.dropout else 0)


def _latent(mixer: LatentAttention, graph: Graph) -> Part:
    """Queries and keys whole, values, the output, and the latents' norms.

    Values are a slice of what the latent is spread to, which holds the keys' part too,
    unless they are cast.
    """
    cast = graph.attending < graph.compute
    yield "nope", (2 if cast else 3) * graph.attending
    yield "rope", 2 * graph.attending
    yield "value", 2 * graph.attending
    if graph.attention is AttentionKernel.EAGER:
        yield "scores", FP32 + (graph.attending if graph.attending < FP32 else 0)
    else:
        yield "heads", FP32
    latents = ("kv_rank",) if mixer.q_rank is None else ("kv_rank", "q_rank")
    for latent in latents:
        yield latent, FP32 + (2 * graph.compute if graph.base_trained else 0)
        yield "tokenwise", FP32
