"""What a mixer with a state keeps for its backward, in bytes a token.

Read off what the fused kernels save: `MambaInnerFn` and `MambaSplitConv1dScanCombinedFn` of
mamba-ssm, the chunked delta rules of flash-linear-attention. Without those kernels the states
of every token are kept, many times this.
"""

from collections.abc import Mapping
from typing import assert_never

from estimator.graph import FP32, Graph, Part
from estimator.linear_attention import DeltaNet, KimiDelta, Lightning, Rwkv
from estimator.recurrent import LinearRecurrent, Mamba, Mamba2, NoMixer, ShortConvolution

CHUNK = 64  # tokens of one chunk of the delta rules, for whose pairs a weight is kept
SCAN_CHUNK = 2048  # tokens of one chunk of Mamba's scan, whose state is kept twice

StateMixer = (
    Mamba
    | Mamba2
    | DeltaNet
    | KimiDelta
    | Lightning
    | ShortConvolution
    | LinearRecurrent
    | Rwkv
    | NoMixer
)


def state_sizes(mixer: StateMixer) -> Mapping[str, int]:
    """The sizes that a mixer's share is a sum over, by name."""
    match mixer:
        case Mamba():
            chunks = 2 * mixer.inner * mixer.state_size
            return {
                "channels": mixer.inner,
                "narrow": mixer.step_rank + 2 * mixer.state_size,
                "chunk_states": -(-chunks // SCAN_CHUNK),
            }
        case Mamba2():
            return {
                "channels": mixer.inner,
                "projected": mixer.projected,
                "groups": mixer.groups,
            }
        case DeltaNet():
            return {
                "convolved": mixer.convolved,
                "keys": mixer.value_heads * mixer.key_dim,
                "channels": mixer.output_width,
                "delta_heads": mixer.value_heads,
            }
        case KimiDelta():
            return {"channels": mixer.output_width, "delta_heads": mixer.heads}
        case Lightning() | ShortConvolution() | LinearRecurrent() | Rwkv():
            return {"channels": mixer.output_width}
        case NoMixer():
            return {}
    assert_never(mixer)


def state_kept(mixer: StateMixer, graph: Graph) -> Part:
    """What the mixer keeps, but for the block's input and its adapters."""
    out = graph.compute if graph.base_trained else 0  # the output projection's input
    match mixer:
        case Mamba():
            yield from _mamba(mixer, graph, out)
        case Mamba2():  # the projection whole, the scan's output, the gated norm's deviation
            yield "projected", graph.compute
            yield "channels", graph.compute
            yield "groups", FP32
        case DeltaNet():  # queries and keys of every value head, and of values each other's
            yield "convolved", graph.compute
            yield "keys", 2 * graph.compute
            yield "channels", 3 * graph.compute + out
            yield "delta_heads", (CHUNK + 1) * graph.compute + 4 * FP32
        case KimiDelta():  # three convolutions, q, k, v, the decay in fp32, output and gate
            yield "channels", 8 * graph.compute + 2 * FP32 + out
            yield "delta_heads", (2 * CHUNK + 1) * graph.compute + 3 * FP32
        case Lightning():  # q, k, v and the activation in front of them, output, gate
            yield "channels", 8 * graph.compute + FP32 + out
        case ShortConvolution():  # both gates and the input, their product, the convolved
            yield "channels", 5 * graph.compute + out
        case LinearRecurrent():  # two branches, the convolved; gates and the scan in fp32
            yield "channels", 4 * graph.compute + 6 * FP32 + out
        case Rwkv():  # mixed inputs, k, v, the gate and its sigmoid, the recurrence in fp32
            mixed = 3 * graph.compute if graph.base_trained else 0
            yield "channels", 4 * graph.compute + 3 * FP32 + mixed + out
        case NoMixer():
            return
        case _:
            assert_never(mixer)


def _mamba(mixer: Mamba, graph: Graph, out: int) -> Part:
    """The projection and the scan's output; the rest is computed again in backward.

    With norms on the step, B and C no one kernel covers it all: the convolved, the step, the
    gated output and the norms' inputs are kept too.
    """
    yield "channels", 3 * graph.compute
    yield "narrow", 2 * graph.compute
    yield "chunk_states", FP32
    if mixer.norms:
        yield "channels", 2 * graph.compute + out
        yield "narrow", FP32 + (2 * graph.compute if graph.base_trained else 0)
