"""A model's tensors as llama.cpp names and cuts them, for the rules of GGUF recipes.

Experts' gate and up are two tensors there, and latent attention's projection of keys and
values is two, one of them turned. `layers` says which blocks a tensor is of, counted as the
rules count: value projections among themselves, MLPs by layer.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.gguf_recipes import Facts, Part
from estimator.mixers import Attention, LatentAttention, Mixer
from estimator.mlps import ExpertsMlp, GatedMlp, Mlp, PlainMlp
from estimator.tensors import Role, Tensor

SHAPES = 256  # kept at a time
SEVENTY = 80  # layers of what llama.cpp calls a 70B
EXPERTS = {  # two fused tensors of ours, three of llama.cpp's
    "experts.gate_up_proj": Part.GATE,
    "experts.up_proj": Part.UP,
    "experts.down_proj": Part.DOWN,
    "shared.gate_proj": Part.GATE,
    "shared.up_proj": Part.UP,
    "shared.down_proj": Part.DOWN,
}
# Matrices that quantising leaves as they were converted: small, or sensitive.
UNPACKED = frozenset(
    {"altup_projections", "linear_left", "linear_right", "per_layer_model_projection"}
    | {"index_q_proj", "index_k_proj"}
)


class Placed(NamedTuple):
    """A tensor of some blocks: what the rules call it, and which of `of` layers hold it.

    `blocks`: those layers as the model counts them, one for each of `layers`.
    """

    part: Part
    tensor: Tensor
    layers: tuple[int, ...]
    of: int
    blocks: tuple[int, ...]


class Seen:
    """A shape, told from others by being the same one, so that it is worked out once.

    Shapes never change, and their hash would cost as much as the work that it saves.
    """

    __slots__ = ("architecture",)

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and other.architecture is self.architecture

    def __hash__(self) -> int:
        return id(self.architecture)


def facts_of(architecture: Architecture) -> Facts:
    """What the recipes' rules ask of a model, as far as its shape tells."""
    return _facts_of(Seen(architecture))


def placed_tensors(architecture: Architecture) -> tuple[Placed, ...]:
    """Every tensor of the blocks, and the model's own beside embedding, head and norms."""
    return _placed_tensors(Seen(architecture))


@lru_cache(maxsize=SHAPES)
def _facts_of(seen: Seen) -> Facts:
    architecture = seen.architecture
    blocks = [block for _, block in architecture.stack]
    mixers = [block.attention for block in blocks if isinstance(block.attention, Attention)]
    first = mixers[0] if mixers else None
    shared = 1 if first is None else first.query_heads // first.kv_heads
    experts = max([b.mlp.experts for b in blocks if isinstance(b.mlp, ExpertsMlp)], default=0)
    falcon = first is not None and is_falcon(blocks[0])
    gated = all(isinstance(block.mlp, GatedMlp) for block in blocks)
    llama_like = first is not None and gated and not first.fused and not falcon
    biased = first is not None and first.qkv_bias
    seventy = architecture.depth == SEVENTY and llama_like and (shared > 1 or biased)
    return Facts(shared, experts, seventy, falcon)


def is_falcon(block: Block) -> bool:
    """Falcon's block: fused attention beside its MLP, and no biases."""
    mixer, mlp = block.attention, block.mlp
    return (
        isinstance(mixer, Attention)
        and mixer.modules[0] == "query_key_value"
        and not mixer.qkv_bias
        and isinstance(mlp, PlainMlp)
        and block.parallel
    )


@lru_cache(maxsize=SHAPES)
def _placed_tensors(seen: Seen) -> tuple[Placed, ...]:
    return tuple(_placed(seen.architecture))


def _placed(architecture: Architecture) -> Iterator[Placed]:
    order = architecture.order
    parts = {name: _parts(block) for name, block in architecture.blocks.items()}
    values = _indices(order, {n for n, p in parts.items() if {Part.VALUE, Part.FUSED} & {*p}})
    feeds: Mapping[int, int] = {i: i for i in range(len(order))}
    if not facts_of(architecture).experts:
        feeds = _indices(order, {name for name, found in parts.items() if Part.DOWN in {*found}})
    for name, block in architecture.blocks.items():
        at = tuple(i for i, other in enumerate(order) if other == name)
        value_layers = tuple(values[i] for i in at if i in values)
        feed_layers = tuple(feeds[i] for i in at if i in feeds)
        for part, tensor in _tensors(block, architecture.hidden, len(at)):
            if part in (Part.VALUE, Part.FUSED):
                yield Placed(part, tensor, value_layers, len(values), at)
            elif part in (Part.GATE, Part.UP, Part.DOWN):
                yield Placed(part, tensor, feed_layers, len(order), at)
            else:
                yield Placed(part, tensor, at, len(order), at)
    for extra in architecture.extra:
        yield Placed(Part.OTHER, extra.tensor(1), (0,), 1, (len(order),))


def _indices(order: Sequence[str], having: set[str]) -> Mapping[int, int]:
    """Layer → its number among those of the blocks `having` something."""
    return {at: n for n, at in enumerate(i for i, name in enumerate(order) if name in having)}


def _parts(block: Block) -> tuple[Part, ...]:
    names: dict[str, Part] = {}
    for mixer in block.mixers:
        names |= _mixer_names(mixer)
    return (*names.values(), *_mlp_names(block.mlp).values())


def _tensors(block: Block, hidden: int, copies: int) -> Iterator[tuple[Part, Tensor]]:
    for mixer in block.mixers:
        names = _mixer_names(mixer)
        for tensor in mixer.tensors(hidden, copies):
            if isinstance(mixer, LatentAttention) and tensor.module == "kv_b_proj":
                yield from _halves(mixer, copies)
            else:
                yield names.get(tensor.module, Part.OTHER), tensor
    of_mlp = _mlp_names(block.mlp)
    for tensor in block.mlp.tensors(hidden, copies):
        part = of_mlp.get(tensor.module, Part.OTHER)
        if tensor.role is Role.EXPERT and part is Part.GATE:
            half = tensor._replace(rows=tensor.rows // 2)
            yield Part.GATE, half
            yield Part.UP, half
        else:
            yield part, tensor
    for extra in block.extra:
        yield Part.OTHER, extra.tensor(copies)


def _halves(mixer: LatentAttention, copies: int) -> Iterator[tuple[Part, Tensor]]:
    """Keys' half of the projection lies turned, a row for each number of the latent."""
    heads, rank = mixer.query_heads, mixer.kv_rank
    yield Part.OTHER, Tensor("k_b", Role.LINEAR, heads * rank, mixer.nope_dim, copies)
    yield Part.OTHER, Tensor("v_b", Role.LINEAR, heads * mixer.value_dim, rank, copies)


def _mixer_names(mixer: Mixer) -> dict[str, Part]:
    match mixer:
        case Attention(fused=True):
            return {mixer.modules[0]: Part.FUSED, mixer.output_module: Part.OUTPUT}
        case Attention():
            parts = (Part.QUERY, Part.KEY, Part.VALUE, Part.OUTPUT)
            return dict(zip(mixer.modules, parts, strict=True))
        case LatentAttention():
            return {"q_proj": Part.QUERY, "o_proj": Part.OUTPUT}
        case _:
            return {}


def _mlp_names(mlp: Mlp) -> Mapping[str, Part]:
    match mlp:
        case GatedMlp(fused=True):
            return {mlp.modules[0]: Part.UP, mlp.modules[-1]: Part.DOWN}
        case GatedMlp():
            return dict(zip(mlp.modules, (Part.GATE, Part.UP, Part.DOWN), strict=True))
        case PlainMlp():
            return dict(zip(mlp.modules, (Part.UP, Part.DOWN), strict=True))
        case ExpertsMlp():
            return EXPERTS
        case _:
            return {}
