"""Families with grouped attention and routed experts: Mixtral, Qwen3-MoE, gpt-oss."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.llama import attention
from estimator.configs.numbers import (
    LARGEST_WIDTH,
    MOST_EXPERTS,
    MOST_LAYERS,
    MOST_POSITIONS,
    Config,
    depth,
    flag,
    layer_types,
    listed_layers,
    number,
    optional,
)
from estimator.configs.parts import FULL, SLIDING, ends, every, gated, heads_of, stack, windowed
from estimator.errors import Unsupported
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp, Routing
from estimator.tensors import NormKind, QkNorm

GPT_OSS_WINDOW = 128  # the default of transformers' `GptOssConfig`


def mixtral(config: Config) -> Architecture:
    """Experts in every layer of a Mistral."""
    mlp = ExpertsMlp(
        kind="experts",
        experts=number(config, ("num_local_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
    )
    block = Block(attention=attention(config), mlp=mlp)
    return Architecture(**ends(config), **every(block, depth(config)))


def qwen3_moe(config: Config) -> Architecture:
    """Experts in every layer that `decoder_sparse_step` reaches and `mlp_only_layers` spares."""
    mixer = Attention(
        **heads_of(config),
        qkv_bias=flag(config, "attention_bias", default=False),
        output_bias=flag(config, "attention_bias", default=False),
        qk_norm=QkNorm.HEAD,
    )
    normed = flag(config, "norm_topk_prob", default=False)
    mlp = ExpertsMlp(
        kind="experts",
        weighed_in_half=True,
        experts=number(config, ("num_experts", "num_local_experts"), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("moe_intermediate_size",), LARGEST_WIDTH),
        routing=Routing.RENORMALISED if normed else Routing.PLAIN,
    )
    step = number(config, ("decoder_sparse_step",), MOST_LAYERS, default=1)
    dense = listed_layers(config, "mlp_only_layers") or frozenset()
    names = tuple(
        "dense" if layer in dense or (layer + 1) % step else "experts"
        for layer in range(depth(config))
    )
    blocks = {"experts": Block(attention=mixer, mlp=mlp)}
    if "dense" in names:
        blocks["dense"] = Block(attention=mixer, mlp=gated(config))
    return Architecture(**ends(config), **stack(blocks, names))


def gpt_oss(config: Config) -> Architecture:
    """Sinks and biases, clamped experts; sliding and full attention take turns."""
    biased = flag(config, "attention_bias", default=True)
    mixer = Attention(
        **heads_of(config),
        rotary_cat=True,
        half_softmax=True,
        sinks=True,
        qkv_bias=biased,
        output_bias=biased,
    )
    mlp = ExpertsMlp(
        kind="experts",
        experts=number(config, ("num_local_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok", "experts_per_token"), MOST_EXPERTS),
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        router_bias=True,
        routing=Routing.CHOSEN,
        bias=True,
        clamped=True,
    )
    full = Block(attention=mixer, mlp=mlp)
    window = optional(config, ("sliding_window",), MOST_POSITIONS) or GPT_OSS_WINDOW
    kinds = layer_types(config, ("sliding_attention", "full_attention"))
    names = kinds and tuple(kind.removesuffix("_attention") for kind in kinds)
    turns = tuple(FULL if layer % 2 else SLIDING for layer in range(depth(config)))
    return Architecture(
        **ends(config),
        norm=NormKind.RMS_IN_FP32,
        **stack({SLIDING: windowed(full, window), FULL: full}, names or turns),
    )


def qwen2_moe(config: Config) -> Architecture:
    """Experts beside a shared one with a gate of its own, in every layer."""
    if config.get("mlp_only_layers") or config.get("decoder_sparse_step", 1) != 1:
        raise Unsupported("architecture", "A Qwen2-MoE with dense layers is not counted.")
    shared = number(config, ("shared_expert_intermediate_size",), LARGEST_WIDTH)
    normed = flag(config, "norm_topk_prob", default=False)
    mlp = ExpertsMlp(
        kind="experts",
        weighed_in_half=True,
        experts=number(config, ("num_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("moe_intermediate_size",), LARGEST_WIDTH),
        shared_inner=shared,
        shared_gate=True,
        routing=Routing.RENORMALISED if normed else Routing.PLAIN,
    )
    mixer = Attention(**heads_of(config), qkv_bias=flag(config, "qkv_bias", default=True))
    block = Block(attention=mixer, mlp=mlp)
    return Architecture(**ends(config), **every(block, depth(config)))


def olmoe(config: Config) -> Architecture:
    """Experts in every layer, and norms over all heads of queries and keys."""
    biased = flag(config, "attention_bias", default=False)
    mixer = Attention(**heads_of(config), qk_norm=QkNorm.FULL, qkv_bias=biased, output_bias=biased)
    normed = flag(config, "norm_topk_prob", default=False)
    mlp = ExpertsMlp(
        kind="experts",
        weighed_in_half=True,
        experts=number(config, ("num_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        routing=Routing.RENORMALISED if normed else Routing.PLAIN,
    )
    block = Block(attention=mixer, mlp=mlp)
    return Architecture(**ends(config), **every(block, depth(config)))


def granitemoe(config: Config) -> Architecture:
    """A Granite whose every layer has experts."""
    biased = flag(config, "attention_bias", default=False)
    mixer = Attention(**heads_of(config), qkv_bias=biased, output_bias=biased)
    mlp = ExpertsMlp(
        kind="experts",
        experts=number(config, ("num_local_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        routing=Routing.CHOSEN,
    )
    block = Block(attention=mixer, mlp=mlp)
    return Architecture(**ends(config), **every(block, depth(config)))
