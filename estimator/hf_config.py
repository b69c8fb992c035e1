"""A `config.json` as data → Architecture. Nothing in it is run; every number is checked.

Families are those whose modules the counted terms know. Any other is refused by name:
a shape that only looks alike would give a wrong number without a word.
"""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from pydantic import ValidationError

from estimator.architecture import Architecture, Run
from estimator.blocks import Block
from estimator.errors import BadRequest, Unsupported, shown
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp, GatedMlp, PlainMlp
from estimator.tensors import NormKind, QkNorm
from estimator.units import KIB, MIB

LARGEST_WIDTH = MIB
MOST_LAYERS = 4 * KIB
LARGEST_VOCABULARY = 16 * MIB
MOST_POSITIONS = 128 * MIB

TORCH_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
LLAMA_LIKE = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "phi3")
ROUTED = ("num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size")
FOREIGN = ("kv_lora_rank", "ssm_cfg", "linear_num_key_heads", "layers_block_type", "vision_config")


def architecture_from_config(config: Mapping[str, Any]) -> tuple[Architecture, int | None]:
    """The architecture and its positions; raises BadRequest or Unsupported."""
    kind = config.get("model_type", "llama")
    for key in FOREIGN if kind == "mixtral" else (*FOREIGN, *ROUTED):
        if config.get(key):
            _unsupported(str(kind), f"its `{key}`")
    build = FAMILIES.get(kind) if isinstance(kind, str) else None
    if build is None:
        _unsupported(str(kind), "that family")
    try:
        architecture = build(config)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        problem = first["msg"].removeprefix("Value error, ")
        raise BadRequest("architecture", problem) from None
    return architecture, _optional(
        config, ("max_position_embeddings", "n_positions"), MOST_POSITIONS
    )


def weights_of_config(config: Mapping[str, Any]) -> str | None:
    """The type that the config says its weights are in; raises BadRequest where they are packed.

    A packed repository's format decides its size, and is the asker's to name.
    """
    packing = config.get("quantization_config")
    if packing is not None:
        kind = packing.get("quant_method") if isinstance(packing, Mapping) else None
        named = f" ({shown(kind)})" if isinstance(kind, str) else ""
        raise BadRequest(
            "weights",
            f"the config's weights are packed{named}: say in which format",
            suggestions=("gptq4", "awq4", "nf4_dq", "fp8"),
        )
    name = config.get("dtype", config.get("torch_dtype"))
    return TORCH_DTYPES.get(name) if isinstance(name, str) else None


def _unsupported(kind: str, what: str) -> NoReturn:
    raise Unsupported(
        "architecture",
        f"I cannot size a `{shown(kind)}` config yet: {what} is not among the parts that I count. "
        f"Known families: {', '.join(FAMILIES)}.",
    )


def _llama_like(config: Mapping[str, Any]) -> Architecture:
    kind = config.get("model_type", "llama")
    fused = kind == "phi3"
    mlp = GatedMlp(
        kind="gated",
        inner=_number(config, ("intermediate_size",), LARGEST_WIDTH),
        fused=fused,
        bias=_flag(config, "mlp_bias", default=False),
        modules=("gate_up_proj", "down_proj") if fused else ("gate_proj", "up_proj", "down_proj"),
    )
    gemma = kind in ("gemma", "gemma2")
    block = Block(attention=_attention(config), mlp=mlp, norms=4 if kind == "gemma2" else 2)
    return Architecture(
        hidden=_number(config, ("hidden_size",), LARGEST_WIDTH),
        vocabulary=_number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=_flag(config, "tie_word_embeddings", default=gemma),
        norm=NormKind.RMS_PLUS_ONE if gemma else NormKind.RMS,
        softcap=config.get("final_logit_softcapping") is not None,
        **_stack(config, block),
    )


def _mixtral(config: Mapping[str, Any]) -> Architecture:
    mlp = ExpertsMlp(
        kind="experts",
        experts=_number(config, ("num_local_experts",), KIB),
        per_token=_number(config, ("num_experts_per_tok",), KIB),
        inner=_number(config, ("intermediate_size",), LARGEST_WIDTH),
    )
    return Architecture(
        hidden=_number(config, ("hidden_size",), LARGEST_WIDTH),
        vocabulary=_number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=_flag(config, "tie_word_embeddings", default=False),
        **_stack(config, Block(attention=_attention(config), mlp=mlp)),
    )


def _gpt2(config: Mapping[str, Any]) -> Architecture:
    hidden = _number(config, ("n_embd",), LARGEST_WIDTH)
    heads = _number(config, ("n_head",), KIB)
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=_divided(hidden, heads),
        fused=True,
        qkv_bias=True,
        output_bias=True,
        modules=("c_attn", "c_proj"),
    )
    inner = _optional(config, ("n_inner",), LARGEST_WIDTH) or 4 * hidden
    mlp = PlainMlp(kind="plain", inner=inner, bias=True, modules=("c_fc", "c_proj"))
    return Architecture(
        hidden=hidden,
        vocabulary=_number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=_flag(config, "tie_word_embeddings", default=True),
        norm=NormKind.LAYER,
        norm_bias=True,
        positions=_number(config, ("n_positions", "n_ctx"), MOST_POSITIONS),
        **_stack(config, Block(attention=attention, mlp=mlp)),
    )


def _attention(config: Mapping[str, Any]) -> Attention:
    kind = config.get("model_type", "llama")
    heads = _number(config, ("num_attention_heads",), KIB)
    head_dim = _optional(config, ("head_dim",), KIB) or _divided(
        _number(config, ("hidden_size",), LARGEST_WIDTH), heads
    )
    sliding = _flag(config, "use_sliding_window", default=kind in ("mistral", "phi3"))
    fused = kind == "phi3"
    return Attention(
        query_heads=heads,
        kv_heads=_optional(config, ("num_key_value_heads",), KIB) or heads,
        head_dim=head_dim,
        window=_optional(config, ("sliding_window",), MOST_POSITIONS) if sliding else None,
        fused=fused,
        qkv_bias=_flag(config, "attention_bias", default=kind == "qwen2"),
        output_bias=_flag(config, "attention_bias", default=False) and kind == "llama",
        qk_norm=QkNorm.HEAD if kind == "qwen3" else QkNorm.NONE,
        modules=("qkv_proj", "o_proj") if fused else ("q_proj", "k_proj", "v_proj", "o_proj"),
    )


def _stack(config: Mapping[str, Any], block: Block) -> dict[str, Any]:
    """Blocks and their order; Gemma 2 alternates sliding and full attention."""
    depth = _number(config, ("num_hidden_layers", "n_layer"), MOST_LAYERS)
    window = _optional(config, ("sliding_window",), MOST_POSITIONS)
    if config.get("model_type") != "gemma2" or window is None:
        return {"blocks": {"block": block}, "layers": (Run(times=depth, of=("block",)),)}
    sliding = block.model_copy(
        update={"attention": block.attention.model_copy(update={"window": window})}
    )
    pairs = (Run(times=depth // 2, of=("sliding", "full")),) if depth > 1 else ()
    last = (Run(times=1, of=("sliding",)),) if depth % 2 else ()
    blocks = {"sliding": sliding, "full": block} if depth > 1 else {"sliding": sliding}
    return {"blocks": blocks, "layers": (*pairs, *last)}


def _number(config: Mapping[str, Any], names: tuple[str, ...], most: int) -> int:
    value = _optional(config, names, most)
    if value is None:
        raise BadRequest("architecture", f"`{names[0]}` is missing")
    return value


def _optional(config: Mapping[str, Any], names: tuple[str, ...], most: int) -> int | None:
    value = next((config[name] for name in names if config.get(name) is not None), None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BadRequest("architecture", f"`{names[0]}` is a whole number from 1 to {most:,}")
    return value


def _flag(config: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = config.get(name, default)
    if not isinstance(value, bool):
        raise BadRequest("architecture", f"`{name}` is true or false")
    return value


def _divided(hidden: int, heads: int) -> int:
    if hidden % heads:
        raise BadRequest(
            "architecture",
            f"hidden size {hidden} is no multiple of {heads} heads, and there is no `head_dim`",
        )
    return hidden // heads


FAMILIES: dict[str, Callable[[Mapping[str, Any]], Architecture]] = {
    **dict.fromkeys(LLAMA_LIKE, _llama_like),
    "mixtral": _mixtral,
    "gpt2": _gpt2,
}
