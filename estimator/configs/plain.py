"""Decoders before and beside Llama: GPT-NeoX, OPT, StarCoder2, OLMo 2, Granite, GLM-4.5's kin."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_WIDTH,
    MOST_POSITIONS,
    Config,
    depth,
    flag,
    number,
    optional,
)
from estimator.configs.parts import ends, every, gated, heads_of
from estimator.errors import Unsupported
from estimator.mixers import Attention
from estimator.mlps import Activation, PlainMlp
from estimator.tensors import NormKind, QkNorm

OPT_OFFSET = 2  # rows of its position table that stand before the first position


def gpt_neox(config: Config) -> Architecture:
    """One projection for queries, keys and values; attention and MLP in parallel."""
    biased = flag(config, "attention_bias", default=True)
    mixer = Attention(
        **heads_of(config),
        fused=True,
        rotary_cat=True,
        qkv_bias=biased,
        output_bias=biased,
        modules=("query_key_value", "dense"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        bias=True,
        modules=("dense_h_to_4h", "dense_4h_to_h"),
    )
    parallel = flag(config, "use_parallel_residual", default=True)
    return Architecture(
        **ends(config),
        norm=NormKind.LAYER,
        norm_bias=True,
        **every(Block(attention=mixer, mlp=mlp, parallel=parallel), depth(config)),
    )


def opt(config: Config) -> Architecture:
    """Learned positions, biases everywhere, ReLU; only those whose embedding is full width."""
    narrow = config.get("word_embed_proj_dim") not in (None, config.get("hidden_size"))
    if narrow or config.get("do_layer_norm_before") is False:
        raise Unsupported("architecture", "An OPT with a narrower embedding is known by name only.")
    mixer = Attention(
        **heads_of(config),
        qkv_bias=True,
        output_bias=True,
        modules=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("ffn_dim",), LARGEST_WIDTH),
        activation=Activation.RELU,
        bias=True,
    )
    positions = number(config, ("max_position_embeddings",), MOST_POSITIONS)
    return Architecture(
        **ends(config, tied=True),
        norm=NormKind.LAYER,
        norm_bias=True,
        dropout=True,
        positions=positions + OPT_OFFSET,
        **every(Block(attention=mixer, mlp=mlp), depth(config)),
    )


def starcoder2(config: Config) -> Architecture:
    """Grouped heads that slide, and a plain MLP."""
    biased = flag(config, "use_bias", default=True)
    mixer = Attention(
        **heads_of(config),
        window=optional(config, ("sliding_window",), MOST_POSITIONS),
        qkv_bias=biased,
        output_bias=biased,
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        bias=biased,
        modules=("c_fc", "c_proj"),
    )
    return Architecture(
        **ends(config, tied=True),
        norm=NormKind.LAYER,
        norm_bias=True,
        **every(Block(attention=mixer, mlp=mlp), depth(config)),
    )


def olmo2(config: Config) -> Architecture:
    """Norms behind attention and MLP, and over all heads of queries and keys."""
    mixer = Attention(
        **heads_of(config),
        qkv_bias=flag(config, "attention_bias", default=False),
        output_bias=flag(config, "attention_bias", default=False),
        qk_norm=QkNorm.FULL,
    )
    block = Block(attention=mixer, mlp=gated(config))
    norm = NormKind.RMS_IN_FP32
    return Architecture(**ends(config), norm=norm, **every(block, depth(config)))


def granite(config: Config) -> Architecture:
    """A Llama whose streams are multiplied by numbers; tied."""
    biased = flag(config, "attention_bias", default=False)
    mixer = Attention(**heads_of(config), qkv_bias=biased, output_bias=biased)
    block = Block(attention=mixer, mlp=gated(config))
    return Architecture(**ends(config), **every(block, depth(config)))
