"""Decoders of the years before Llama: Phi, Falcon, GPT-J, Bloom, StarCoder's GPT-BigCode."""

from typing import Any

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
    hidden_size,
    number,
    optional,
)
from estimator.configs.parts import ends, every, heads_of
from estimator.errors import Unsupported
from estimator.mixers import Attention
from estimator.mlps import Activation, PlainMlp
from estimator.tensors import NormKind

NORM: dict[str, Any] = {"norm": NormKind.LAYER, "norm_bias": True}
OF_FOUR = ("dense_h_to_4h", "dense_4h_to_h")


def phi(config: Config) -> Architecture:
    """One norm before attention and MLP in parallel; biases everywhere, the head's too."""
    if config.get("qk_layernorm"):
        raise Unsupported("architecture", "A Phi with norms on heads is not counted.")
    mixer = Attention(
        **heads_of(config),
        rotary_cat=True,
        qkv_bias=True,
        output_bias=True,
        modules=("q_proj", "k_proj", "v_proj", "dense"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        activation=Activation.GELU_NEW,
        bias=True,
    )
    block = Block(attention=mixer, mlp=mlp, norms=1, parallel=True)
    return Architecture(**ends(config), **NORM, head_bias=True, **every(block, depth(config)))


def gptj(config: Config) -> Architecture:
    """As Phi, with biases in the MLP and the head alone."""
    hidden = number(config, ("n_embd", "hidden_size"), LARGEST_WIDTH)
    heads = number(config, ("n_head", "num_attention_heads"), MOST_HEADS)
    mixer = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=divided(hidden, heads),
        modules=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=optional(config, ("n_inner",), LARGEST_WIDTH) or 4 * hidden,
        activation=Activation.GELU_NEW,
        bias=True,
        modules=("fc_in", "fc_out"),
    )
    block = Block(attention=mixer, mlp=mlp, norms=1, parallel=True)
    return Architecture(
        hidden=hidden,
        vocabulary=number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=flag(config, "tie_word_embeddings", default=False),
        head_bias=True,
        **NORM,
        **every(block, depth(config)),
    )


def falcon(config: Config) -> Architecture:
    """Falcon 7B's form, and that of 40B: grouped heads and two norms on the same input."""
    grouped = flag(config, "new_decoder_architecture", default=False)
    if not (grouped or flag(config, "parallel_attn", default=True)):
        raise Unsupported("architecture", "A Falcon whose layers are in sequence is not counted.")
    if flag(config, "bias", default=False) or flag(config, "alibi", default=False):
        raise Unsupported("architecture", "A Falcon with biases is not counted.")
    hidden = hidden_size(config)
    heads = number(config, ("num_attention_heads", "n_head"), MOST_HEADS)
    alone = 1 if flag(config, "multi_query", default=True) else heads
    groups = number(config, ("num_kv_heads", "n_head_kv"), MOST_HEADS, default=heads)
    mixer = Attention(
        query_heads=heads,
        kv_heads=groups if grouped else alone,
        head_dim=divided(hidden, heads),
        fused=True,
        modules=("query_key_value", "dense"),
    )
    inner = optional(config, ("ffn_hidden_size",), LARGEST_WIDTH) or 4 * hidden
    mlp = PlainMlp(kind="plain", inner=inner, modules=OF_FOUR)
    norms = number(config, ("num_ln_in_parallel_attn",), 2, default=2 if grouped else 1)
    block = Block(attention=mixer, mlp=mlp, norms=norms, parallel=True)
    return Architecture(**ends(config, tied=True), **NORM, **every(block, depth(config)))


def bloom(config: Config) -> Architecture:
    """Biases everywhere, a norm behind the embedding, no positions that are held."""
    hidden = number(config, ("hidden_size", "n_embed"), LARGEST_WIDTH)
    heads = number(config, ("n_head", "num_attention_heads"), MOST_HEADS)
    mixer = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=divided(hidden, heads),
        fused=True,
        qkv_bias=True,
        output_bias=True,
        modules=("query_key_value", "dense"),
    )
    mlp = PlainMlp(kind="plain", inner=4 * hidden, bias=True, modules=OF_FOUR)
    return Architecture(
        hidden=hidden,
        vocabulary=number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=flag(config, "tie_word_embeddings", default=True),
        embedding_norm=True,
        **NORM,
        **every(Block(attention=mixer, mlp=mlp), depth(config)),
    )


def gpt_bigcode(config: Config) -> Architecture:
    """GPT-2 with one head of keys and values."""
    hidden = number(config, ("n_embd",), LARGEST_WIDTH)
    heads = number(config, ("n_head",), MOST_HEADS)
    mixer = Attention(
        query_heads=heads,
        kv_heads=1 if flag(config, "multi_query", default=True) else heads,
        head_dim=divided(hidden, heads),
        fused=True,
        qkv_bias=True,
        output_bias=True,
        modules=("c_attn", "c_proj"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=optional(config, ("n_inner",), LARGEST_WIDTH) or 4 * hidden,
        bias=True,
        modules=("c_fc", "c_proj"),
    )
    return Architecture(
        hidden=hidden,
        vocabulary=number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=flag(config, "tie_word_embeddings", default=True),
        positions=number(config, ("n_positions",), MOST_POSITIONS),
        **NORM,
        **every(Block(attention=mixer, mlp=mlp), depth(config)),
    )
