"""Families with multi-head latent attention: DeepSeek V2 and V3, Kimi K2, MiniCPM3."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_WIDTH,
    MOST_EXPERTS,
    MOST_HEADS,
    MOST_LAYERS,
    Config,
    count,
    depth,
    number,
    optional,
)
from estimator.configs.parts import ends, every, gated, stack
from estimator.errors import BadRequest
from estimator.mixers import LatentAttention
from estimator.mlps import ExpertsMlp, Routing


def deepseek(config: Config) -> Architecture:
    """Dense layers first, then routed and shared experts, whose routers read fp32.

    V2 takes the chosen scores as they are; V3 divides them by their sum.
    """
    inner = number(config, ("moe_intermediate_size",), LARGEST_WIDTH)
    plain = config.get("model_type") == "deepseek_v2"
    mixer = mla(config)
    experts = ExpertsMlp(
        kind="experts",
        experts=number(config, ("n_routed_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=inner,
        shared_inner=inner * count(config, "n_shared_experts", MOST_EXPERTS),
        router_in_fp32=True,
        routing=Routing.PLAIN if plain else Routing.RENORMALISED,
    )
    layers = depth(config)
    dense = min(count(config, "first_k_dense_replace", MOST_LAYERS), layers)
    blocks = {
        "dense": Block(attention=mixer, mlp=gated(config)),
        "experts": Block(attention=mixer, mlp=experts),
    }
    names = ("dense",) * dense + ("experts",) * (layers - dense)
    return Architecture(**ends(config), **stack(blocks, names))


def minicpm3(config: Config) -> Architecture:
    """Latent attention with a gated MLP."""
    block = Block(attention=mla(config), mlp=gated(config))
    return Architecture(**ends(config, tied=True), **every(block, depth(config)))


def mla(config: Config) -> LatentAttention:
    """Its ranks and head sizes; `q_lora_rank` is null where queries are projected at once."""
    if "q_lora_rank" not in config:
        raise BadRequest("architecture", "`q_lora_rank` is missing; null where queries have none")
    return LatentAttention(
        kind="latent",
        query_heads=number(config, ("num_attention_heads",), MOST_HEADS),
        q_rank=optional(config, ("q_lora_rank",), LARGEST_WIDTH),
        kv_rank=number(config, ("kv_lora_rank",), LARGEST_WIDTH),
        nope_dim=number(config, ("qk_nope_head_dim",), LARGEST_WIDTH),
        rope_dim=number(config, ("qk_rope_head_dim",), LARGEST_WIDTH),
        value_dim=number(config, ("v_head_dim",), LARGEST_WIDTH),
    )
