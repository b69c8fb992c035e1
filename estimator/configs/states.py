"""Families whose layers have a state: Mamba, Mamba 2, Qwen3-Next, LFM2."""

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
    flag,
    hidden_size,
    layer_types,
    listed_layers,
    number,
)
from estimator.configs.parts import ends, every, gated, heads_of, stack
from estimator.errors import BadRequest
from estimator.linear_attention import DeltaNet
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp, GatedMlp, NoMlp, Routing
from estimator.recurrent import Mamba, Mamba2, ShortConvolution
from estimator.tensors import NormKind, QkNorm

KERNEL = 4  # of the convolutions, where it is not said
FULL_EVERY = 4  # Qwen3-Next: every fourth layer attends


def mamba(config: Config) -> Architecture:
    """Layers of a selective state-space mixer alone."""
    hidden = hidden_size(config)
    inner = number(config, ("intermediate_size",), LARGEST_WIDTH, default=2 * hidden)
    rank = config.get("time_step_rank")
    mixer = Mamba(
        kind="mamba",
        inner=inner,
        state_size=number(config, ("state_size",), LARGEST_WIDTH, default=16),
        step_rank=-(-hidden // 16)
        if rank in (None, "auto")
        else number(config, ("time_step_rank",), LARGEST_WIDTH),
        kernel=number(config, ("conv_kernel",), MOST_HEADS, default=KERNEL),
    )
    block = Block(attention=mixer, mlp=NoMlp(kind="none"), norms=1)
    return Architecture(**ends(config, tied=True), **every(block, depth(config)))


def mamba2(config: Config) -> Architecture:
    """The same of Mamba 2."""
    mixer = Mamba2(
        kind="mamba2",
        heads=number(config, ("num_heads",), MOST_HEADS),
        head_dim=number(config, ("head_dim",), LARGEST_WIDTH),
        state_size=number(config, ("state_size",), LARGEST_WIDTH),
        groups=number(config, ("n_groups",), MOST_HEADS),
        kernel=number(config, ("conv_kernel",), MOST_HEADS, default=KERNEL),
    )
    block = Block(attention=mixer, mlp=NoMlp(kind="none"), norms=1)
    return Architecture(**ends(config), **every(block, depth(config)))


def qwen3_next(config: Config) -> Architecture:
    """Gated delta rule, and at every fourth layer attention with a gate; experts or an MLP."""
    linear = DeltaNet(
        kind="delta_net",
        key_heads=number(config, ("linear_num_key_heads",), MOST_HEADS),
        value_heads=number(config, ("linear_num_value_heads",), MOST_HEADS),
        key_dim=number(config, ("linear_key_head_dim",), LARGEST_WIDTH),
        value_dim=number(config, ("linear_value_head_dim",), LARGEST_WIDTH),
        kernel=number(config, ("linear_conv_kernel_dim",), MOST_HEADS, default=KERNEL),
    )
    full = Attention(
        **heads_of(config),
        rotary_cat=True,
        output_gate=True,
        qkv_bias=flag(config, "attention_bias", default=False),
        output_bias=flag(config, "attention_bias", default=False),
        qk_norm=QkNorm.HEAD,
    )
    mlp = _experts(config) if config.get("num_experts") else gated(config)
    kinds = layer_types(config, ("linear_attention", "full_attention"))
    turns = tuple(
        "full_attention" if layer % FULL_EVERY == 0 else "linear_attention"
        for layer in range(1, depth(config) + 1)
    )
    blocks = {
        "linear_attention": Block(attention=linear, mlp=mlp),
        "full_attention": Block(attention=full, mlp=mlp),
    }
    return Architecture(**ends(config), norm=NormKind.RMS_PLUS_ONE, **stack(blocks, kinds or turns))


def _experts(config: Config) -> ExpertsMlp:
    shared = count(config, "shared_expert_intermediate_size", LARGEST_WIDTH)
    normed = flag(config, "norm_topk_prob", default=True)
    return ExpertsMlp(
        kind="experts",
        weighed_in_half=True,
        experts=number(config, ("num_experts",), MOST_EXPERTS),
        per_token=number(config, ("num_experts_per_tok",), MOST_EXPERTS),
        inner=number(config, ("moe_intermediate_size",), LARGEST_WIDTH),
        shared_inner=shared,
        shared_gate=shared > 0,
        routing=Routing.RENORMALISED if normed else Routing.PLAIN,
    )


def lfm2(config: Config) -> Architecture:
    """Short convolutions, and attention where `layer_types` or `full_attn_idxs` say."""
    hidden = hidden_size(config)
    convolution = ShortConvolution(
        kind="short_convolution",
        width=hidden,
        kernel=number(config, ("conv_L_cache",), MOST_HEADS, default=3),
    )
    full = Attention(
        **heads_of(config),
        qk_norm=QkNorm.HEAD,
        modules=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    mlp = GatedMlp(kind="gated", inner=_lfm2_inner(config), modules=("w1", "w3", "w2"))
    blocks = {
        "conv": Block(attention=convolution, mlp=mlp),
        "full_attention": Block(attention=full, mlp=mlp),
    }
    kinds = layer_types(config, ("conv", "full_attention")) or _attending(config)
    return Architecture(**ends(config, tied=True), **stack(blocks, kinds))


def _attending(config: Config) -> tuple[str, ...]:
    named = listed_layers(config, "full_attn_idxs")
    if named is None:
        raise BadRequest("architecture", "`layer_types` or `full_attn_idxs` is missing")
    layers = range(min(depth(config), MOST_LAYERS))
    return tuple("full_attention" if layer in named else "conv" for layer in layers)


def _lfm2_inner(config: Config) -> int:
    """Two thirds of the width that is named, rounded up, as its code adjusts it."""
    named = number(config, ("block_ff_dim", "intermediate_size"), LARGEST_WIDTH)
    if not flag(config, "block_auto_adjust_ff_dim", default=True):
        return named
    step = number(config, ("block_multiple_of",), LARGEST_WIDTH, default=256)
    return step * -(-(2 * named // 3) // step)
