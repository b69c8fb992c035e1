"""GPT-2: one projection for queries, keys and values, learned positions, layer norms."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_VOCABULARY,
    LARGEST_WIDTH,
    MOST_HEADS,
    MOST_POSITIONS,
    Config,
    depth,
    divided,
    flag,
    number,
    optional,
)
from estimator.configs.parts import every
from estimator.mixers import Attention
from estimator.mlps import Activation, PlainMlp
from estimator.tensors import NormKind


def gpt2(config: Config) -> Architecture:
    """GPT-2 and the models of its code."""
    hidden = number(config, ("n_embd",), LARGEST_WIDTH)
    heads = number(config, ("n_head",), MOST_HEADS)
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=divided(hidden, heads),
        fused=True,
        qkv_bias=True,
        output_bias=True,
        half_softmax=True,
        dropout=True,
        modules=("c_attn", "c_proj"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=optional(config, ("n_inner",), LARGEST_WIDTH) or 4 * hidden,
        activation=Activation.GELU_NEW,
        bias=True,
        modules=("c_fc", "c_proj"),
    )
    return Architecture(
        hidden=hidden,
        vocabulary=number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=flag(config, "tie_word_embeddings", default=True),
        norm=NormKind.LAYER,
        norm_bias=True,
        dropout=True,
        positions=number(config, ("n_positions", "n_ctx"), MOST_POSITIONS),
        **every(Block(attention=attention, mlp=mlp), depth(config)),
    )
