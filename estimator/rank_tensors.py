"""What one of several cards that divide each tensor holds of a model: tensor parallelism.

Heads and inner widths are divided; norms, routers, narrow latents, and biases behind a sum stay
whole on each card. Keys and values that are fewer heads than cards are repeated.
"""

from collections.abc import Iterator
from typing import assert_never

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.linear_attention import DeltaNet, KimiDelta, Lightning, Rwkv
from estimator.mixers import Attention, LatentAttention, Mixer
from estimator.mlps import ExpertsMlp, Mlp, NoMlp
from estimator.recurrent import LinearRecurrent, Mamba, Mamba2, NoMixer, ShortConvolution
from estimator.split import Split
from estimator.tensors import Role, Tensor


def rank_tensors(
    architecture: Architecture, split: Split, *, divided: tuple[Role, ...] = (), padding: int = 1
) -> Iterator[Tensor]:
    """Every tensor of the card that holds the most of it.

    `divided`: which tables are cut, by words, after their number is padded to a multiple of
    `padding`; others are whole on each card.
    """
    words = -(-architecture.vocabulary // padding) * padding
    for tensor in _on_rank(architecture, split).tensors:
        if tensor.role not in divided or tensor.rows != architecture.vocabulary:
            yield tensor
            continue
        cards = split.tables if tensor.role is Role.HEAD else split.tp
        yield tensor._replace(rows=part_of(words, cards))


def part_of(whole: int, cards: int) -> int:
    """The largest of so many parts."""
    return -(-whole // cards)


def _on_rank(architecture: Architecture, split: Split) -> Architecture:
    blocks = {name: _block(block, split) for name, block in architecture.blocks.items()}
    return architecture.changed(blocks=blocks)


def _block(block: Block, split: Split) -> Block:
    """Not checked again: parts of a shape that is interpolated may not divide evenly."""
    beside = None if block.beside is None else _mixer(block.beside, split.tp)
    parts = {"attention": _mixer(block.attention, split.tp), "mlp": _mlp(block.mlp, split)}
    return block.model_copy(update={**parts, "beside": beside})


def _mixer(mixer: Mixer, cards: int) -> Mixer:
    """The mixer with one card's heads, or its part of the channels."""
    names: tuple[str, ...]
    match mixer:
        case Attention():
            names = ("query_heads", "kv_heads")
        case LatentAttention():
            names = ("query_heads",)
        case Mamba():
            names = ("inner",)
        case Mamba2():
            names = ("heads", "groups")
        case DeltaNet():
            names = ("key_heads", "value_heads")
        case KimiDelta() | Lightning():
            names = ("heads",)
        case ShortConvolution() | Rwkv():
            names = ("width",)
        case LinearRecurrent():
            names = ("width", "heads")
        case NoMixer():
            names = ()
        case _:
            assert_never(mixer)
    return mixer.model_copy(update={name: part_of(getattr(mixer, name), cards) for name in names})


def _mlp(mlp: Mlp, split: Split) -> Mlp:
    """Inner widths are divided; of whole experts a card has some, and the router knows them all."""
    if isinstance(mlp, NoMlp):
        return mlp
    if not isinstance(mlp, ExpertsMlp):
        return mlp.model_copy(update={"inner": part_of(mlp.inner, split.tp)})
    here = part_of(mlp.experts, split.ep)
    return mlp.model_copy(
        update={
            "inner": part_of(mlp.inner, split.experts // split.ep),
            "experts": here,
            "per_token": min(mlp.per_token, here),
            "routed": mlp.experts,
            "shared_inner": part_of(mlp.shared_inner, split.tp),
        }
    )
