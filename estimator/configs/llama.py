"""Llama and the families that differ from it in biases, norms and windows."""

from collections.abc import Sequence

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_WIDTH,
    MOST_LAYERS,
    MOST_POSITIONS,
    Config,
    depth,
    flag,
    layer_types,
    number,
    optional,
)
from estimator.configs.parts import FULL, SLIDING, ends, every, gated, heads_of, stack, windowed
from estimator.mixers import Attention
from estimator.mlps import GatedMlp
from estimator.tensors import NormKind, QkNorm

KINDS = (
    *("llama", "mistral", "qwen2", "qwen3", "gemma", "phi3", "ministral", "ministral3"),
    *("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen3_vl_text"),
)
QKV_BIASED = ("qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text")
HEAD_NORMS = ("qwen3", "qwen3_vl_text")

# The defaults of transformers' `Gemma3TextConfig`: published configs leave these out.
GEMMA_3 = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "sliding_window": 4_096,
}
GEMMA_3_PATTERN = 6  # every sixth layer sees all tokens
GEMMA_SCORE_CAP = 50.0  # the default of `Gemma2Config`


def llama(config: Config) -> Architecture:
    """Blocks all alike, of attention and a gated MLP with two RMS norms."""
    kind = config.get("model_type", "llama")
    block = Block(
        attention=attention(config), mlp=_fused(config) if kind == "phi3" else gated(config)
    )
    gemma = kind == "gemma"
    return Architecture(
        **ends(config, tied=gemma),
        norm=NormKind.RMS_PLUS_ONE if gemma else NormKind.RMS,
        softcap=config.get("final_logit_softcapping") is not None,
        **every(block, depth(config)),
    )


def attention(config: Config) -> Attention:
    """Grouped heads; which biases, norms and windows they have is the family's."""
    kind = config.get("model_type", "llama")
    sliding = flag(config, "use_sliding_window", default=kind in ("mistral", "phi3"))
    fused = kind == "phi3"
    return Attention(
        **heads_of(config),
        window=optional(config, ("sliding_window",), MOST_POSITIONS) if sliding else None,
        fused=fused,
        qkv_bias=flag(config, "attention_bias", default=kind in QKV_BIASED),
        output_bias=flag(config, "attention_bias", default=False) and kind == "llama",
        qk_norm=QkNorm.HEAD if kind in HEAD_NORMS else QkNorm.NONE,
        modules=("qkv_proj", "o_proj") if fused else ("q_proj", "k_proj", "v_proj", "o_proj"),
    )


def _fused(config: Config) -> GatedMlp:
    return GatedMlp(
        kind="gated",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        fused=True,
        modules=("gate_up_proj", "down_proj"),
    )


def gemma_2(config: Config) -> Architecture:
    """Four norms a block; sliding and full attention take turns."""
    capped = config.get("attn_logit_softcapping", GEMMA_SCORE_CAP) is not None
    mixer = Attention(
        **heads_of(config), qkv_bias=flag(config, "attention_bias", default=False), softcap=capped
    )
    window = optional(config, ("sliding_window",), MOST_POSITIONS)
    full = Block(attention=mixer, mlp=gated(config), norms=4)
    blocks = {SLIDING: windowed(full, window), FULL: full}
    turns = tuple(SLIDING if n % 2 == 0 and window else FULL for n in range(depth(config)))
    return Architecture(
        **ends(config, tied=True),
        norm=NormKind.RMS_PLUS_ONE,
        softcap=config.get("final_logit_softcapping") is not None,
        **stack(blocks, _named(config) or turns),
    )


def gemma_3(config: Config) -> Architecture:
    """As Gemma 2, with norms on queries and keys in place of caps; every sixth layer is full."""
    config = GEMMA_3 | {key: value for key, value in config.items() if value is not None}
    mixer = Attention(
        **heads_of(config),
        qkv_bias=flag(config, "attention_bias", default=False),
        qk_norm=QkNorm.HEAD,
        softcap=config.get("attn_logit_softcapping") is not None,
    )
    window = number(config, ("sliding_window",), MOST_POSITIONS)
    pattern = number(config, ("sliding_window_pattern",), MOST_LAYERS, default=GEMMA_3_PATTERN)
    full = Block(attention=mixer, mlp=gated(config), norms=4)
    turns = tuple(FULL if n % pattern == 0 else SLIDING for n in range(1, depth(config) + 1))
    return Architecture(
        **ends(config, tied=True),
        norm=NormKind.RMS_PLUS_ONE,
        softcap=config.get("final_logit_softcapping") is not None,
        **stack({SLIDING: windowed(full, window), FULL: full}, _named(config) or turns),
    )


def _named(config: Config) -> Sequence[str] | None:
    kinds = layer_types(config, ("sliding_attention", "full_attention"))
    return kinds and tuple(kind.removesuffix("_attention") for kind in kinds)
