"""What of a block decides its operations, whatever its sizes."""

from enum import StrEnum
from typing import NamedTuple

from estimator.adapted import keeps_output
from estimator.blocks import Block
from estimator.experts_tape import DOWN, GATE_UP, ExpertsKind, experts_kind
from estimator.mixers import Attention, LatentAttention, Mixer
from estimator.mlps import ExpertsMlp, Mlp, NoMlp, PlainMlp
from estimator.recurrent import NoMixer
from estimator.tensors import QkNorm


class Mixing(StrEnum):
    """How a block's tokens see each other, by its operations."""

    GROUPED = "grouped"
    LATENT = "latent"
    STATE = "state"
    NONE = "none"


class BlockKind(NamedTuple):
    """What of a block decides its operations, whatever its sizes."""

    mixing: Mixing
    mixer: tuple[str, ...]  # its modules
    fused: bool
    head_norms: bool
    plain: bool  # an MLP of two linears
    relu: bool  # whose activation keeps its output
    experts: ExpertsKind | None
    mlp: tuple[str, ...]  # none of a layer that is a mixer alone
    norms: int
    parallel: bool
    repeats: bool  # several queries share a key
    capped: bool  # scores pass tanh


def kind_of(block: Block) -> BlockKind:
    """What of `block` decides its operations."""
    mixer, mlp = block.attention, block.mlp
    grouped = mixer if isinstance(mixer, Attention) else None
    return BlockKind(
        mixing=_mixing(mixer),
        mixer=mixer.modules,
        fused=grouped is not None and grouped.fused,
        head_norms=grouped is not None and grouped.qk_norm is not QkNorm.NONE,
        plain=isinstance(mlp, PlainMlp),
        relu=keeps_output(block),
        experts=experts_kind(mlp),
        mlp=_mlp_modules(mlp),
        norms=block.norms,
        parallel=block.parallel,
        repeats=grouped is not None and grouped.query_heads != grouped.kv_heads,
        capped=grouped is not None and grouped.softcap,
    )


def _mixing(mixer: Mixer) -> Mixing:
    match mixer:
        case Attention():
            return Mixing.GROUPED
        case LatentAttention():
            return Mixing.LATENT
        case NoMixer():
            return Mixing.NONE
        case _:
            return Mixing.STATE


def _mlp_modules(mlp: Mlp) -> tuple[str, ...]:
    match mlp:
        case ExpertsMlp():
            return (GATE_UP, DOWN)
        case NoMlp():
            return ()
        case _:
            return mlp.modules
