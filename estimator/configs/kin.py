"""Decoders that differ from Llama by norms, biases and MLPs: SmolLM3, Cohere, GLM-4, Nemotron."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_WIDTH,
    MOST_POSITIONS,
    Config,
    depth,
    flag,
    layer_types,
    number,
    optional,
)
from estimator.configs.parts import FULL, SLIDING, ends, every, gated, heads_of, stack, windowed
from estimator.errors import Unsupported
from estimator.mixers import Attention
from estimator.mlps import Activation, GatedMlp, PlainMlp
from estimator.tensors import Extra, NormKind, QkNorm

TIED = ("smollm3", "ernie4_5", "minicpm", "hunyuan_v1_dense")  # their classes tie by default
HEAD_NORMS = ("hunyuan_v1_dense", "exaone4")  # norms on queries and keys, a head wide
PLAIN_MLPS = {  # without a gate
    "arcee": Activation.RELU_SQUARED,
    "nemotron": Activation.RELU_SQUARED,
    "apertus": Activation.XIELU,
}
COHERE_WINDOW = 4  # every fourth layer of Cohere 2 sees all tokens


def kin(config: Config) -> Architecture:
    """Llama's modules, with biases and norms as the family has them."""
    kind = str(config.get("model_type"))
    biased = flag(config, "attention_bias", default=kind == "seed_oss")
    biased = biased or flag(config, "qkv_bias", default=False)
    mixer = Attention(
        **heads_of(config),
        qkv_bias=biased,
        output_bias=flag(config, "attention_out_bias", default=False),
        qk_norm=QkNorm.HEAD if kind in HEAD_NORMS else QkNorm.NONE,
    )
    _refuse_windows(config)
    block = Block(attention=mixer, mlp=gated(config))
    return Architecture(**ends(config, tied=kind in TIED), **every(block, depth(config)))


def ungated(config: Config) -> Architecture:
    """Arcee, Nemotron and Apertus: an MLP of two linears."""
    kind = str(config.get("model_type"))
    apertus = kind == "apertus"
    biased = flag(config, "attention_bias", default=False)
    mixer = Attention(
        **heads_of(config),
        qkv_bias=biased,
        output_bias=biased,
        qk_norm=QkNorm.HEAD if apertus else QkNorm.NONE,
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        activation=PLAIN_MLPS[kind],
        bias=flag(config, "mlp_bias", default=False),
        modules=("fc1", "fc2") if kind == "arcee" else ("up_proj", "down_proj"),
    )
    extra = (Extra(module="xielu", columns=2),) if apertus else ()
    block = Block(attention=mixer, mlp=mlp, extra=extra)
    nemotron = kind == "nemotron"
    return Architecture(
        **ends(config),
        norm=NormKind.LAYER_PLUS_ONE if nemotron else NormKind.RMS,
        norm_bias=nemotron,
        **every(block, depth(config)),
    )


def cohere(config: Config) -> Architecture:
    """One norm before attention and MLP in parallel; of Cohere 2 most layers slide."""
    biased = flag(config, "attention_bias", default=False)
    if flag(config, "use_qk_norm", default=False):
        raise Unsupported("architecture", "A Cohere with norms on heads is known by name only.")
    mixer = Attention(**heads_of(config), qkv_bias=biased, output_bias=biased)
    full = Block(attention=mixer, mlp=gated(config), norms=1, parallel=True)
    common = {**ends(config, tied=True), "norm": NormKind.LAYER}
    if config.get("model_type") == "cohere":
        return Architecture(**common, **every(full, depth(config)))
    window = number(config, ("sliding_window",), MOST_POSITIONS, default=4096)
    kinds = layer_types(config, ("sliding_attention", "full_attention"))
    names = kinds and tuple(kind.removesuffix("_attention") for kind in kinds)
    turns = tuple(
        FULL if layer % COHERE_WINDOW == 0 else SLIDING for layer in range(1, depth(config) + 1)
    )
    blocks = {SLIDING: windowed(full, window), FULL: full}
    return Architecture(**common, **stack(blocks, names or turns))


def glm(config: Config) -> Architecture:
    """Gate and up in one projection; GLM-4-0414 has four norms a block."""
    mixer = Attention(**heads_of(config), qkv_bias=flag(config, "attention_bias", default=True))
    mlp = GatedMlp(
        kind="gated",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        fused=True,
        modules=("gate_up_proj", "down_proj"),
    )
    norms = 4 if config.get("model_type") == "glm4" else 2
    return Architecture(
        **ends(config), **every(Block(attention=mixer, mlp=mlp, norms=norms), depth(config))
    )


def stablelm(config: Config) -> Architecture:
    """Layer norms, and a part of each head turned."""
    if flag(config, "use_parallel_residual", default=False) or config.get("qk_layernorm"):
        raise Unsupported("architecture", "That StableLM is known by name only.")
    mixer = Attention(
        **heads_of(config),
        rotary_cat=True,
        qkv_bias=flag(config, "use_qkv_bias", default=False),
    )
    return Architecture(
        **ends(config),
        norm=NormKind.LAYER,
        norm_bias=True,
        **every(Block(attention=mixer, mlp=gated(config)), depth(config)),
    )


def olmo(config: Config) -> Architecture:
    """Norms without weights."""
    biased = flag(config, "attention_bias", default=False)
    mixer = Attention(**heads_of(config), qkv_bias=biased, output_bias=biased)
    block = Block(attention=mixer, mlp=gated(config))
    return Architecture(**ends(config), norm=NormKind.NONE, **every(block, depth(config)))


def _refuse_windows(config: Config) -> None:
    sliding = flag(config, "use_sliding_window", default=True)
    if sliding and optional(config, ("sliding_window",), MOST_POSITIONS) is not None:
        raise Unsupported("architecture", "With sliding layers that family is not counted.")
