"""A `config.json` as data → Architecture. Nothing in it is run; every number is checked.

Families are those whose modules the counted terms know. Any other is refused by name:
a shape that only looks alike would give a wrong number without a word.
"""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from pydantic import ValidationError

from estimator.architecture import Architecture
from estimator.configs.early import bloom, falcon, gpt_bigcode, gptj, phi
from estimator.configs.encoders import bert, t5
from estimator.configs.gpt2 import gpt2
from estimator.configs.kin import cohere, glm, kin, olmo, stablelm, ungated
from estimator.configs.latent import deepseek, minicpm3
from estimator.configs.llama import KINDS, gemma_2, gemma_3, llama
from estimator.configs.numbers import MOST_POSITIONS, optional
from estimator.configs.plain import gpt_neox, granite, olmo2, opt, starcoder2
from estimator.configs.routed import (
    gpt_oss,
    granitemoe,
    mixtral,
    olmoe,
    qwen2_moe,
    qwen3_moe,
)
from estimator.configs.states import lfm2, mamba, mamba2, qwen3_next
from estimator.errors import BadRequest, Unsupported, shown
from estimator.packing import packing_of

TORCH_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}

DELTA = ("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text")
FAMILIES: dict[str, Callable[[Mapping[str, Any]], Architecture]] = {
    **dict.fromkeys(KINDS, llama),
    "gemma2": gemma_2,
    "gemma3": gemma_3,
    "gemma3_text": gemma_3,
    "mixtral": mixtral,
    **dict.fromkeys(("qwen3_moe", "qwen3_vl_moe_text"), qwen3_moe),
    "gpt_oss": gpt_oss,
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), deepseek),
    "minicpm3": minicpm3,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "opt": opt,
    "starcoder2": starcoder2,
    "olmo2": olmo2,
    "granite": granite,
    "mamba": mamba,
    "mamba2": mamba2,
    **dict.fromkeys(DELTA, qwen3_next),
    "lfm2": lfm2,
    **dict.fromkeys(("smollm3", "seed_oss", "ernie4_5", "minicpm", "internlm3"), kin),
    **dict.fromkeys(("hunyuan_v1_dense", "exaone4"), kin),
    **dict.fromkeys(("arcee", "nemotron", "apertus"), ungated),
    **dict.fromkeys(("cohere", "cohere2"), cohere),
    **dict.fromkeys(("glm", "glm4"), glm),
    "stablelm": stablelm,
    "olmo": olmo,
    "phi": phi,
    "gptj": gptj,
    "falcon": falcon,
    "bloom": bloom,
    "gpt_bigcode": gpt_bigcode,
    "qwen2_moe": qwen2_moe,
    "olmoe": olmoe,
    "granitemoe": granitemoe,
    **dict.fromkeys(("bert", "roberta", "xlm-roberta"), bert),
    **dict.fromkeys(("t5", "mt5"), t5),
}

# Keys that say that a model has parts which a family without them does not know.
ROUTED = ("num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size")
LATENT = ("kv_lora_rank",)
TOWERS = ("vision_config", "audio_config", "vision_tower_config")
FOREIGN = ("ssm_cfg", "linear_num_key_heads", "layers_block_type", "vision_config")
KNOWN = {
    **dict.fromkeys(("mixtral", "qwen3_moe", "gpt_oss"), ROUTED),
    **dict.fromkeys(("qwen2_moe", "olmoe", "granitemoe", "qwen3_vl_moe_text"), ROUTED),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), (*ROUTED, *LATENT)),
    "minicpm3": LATENT,
    **dict.fromkeys(DELTA, (*ROUTED, "linear_num_key_heads")),
}


def architecture_from_config(config: Mapping[str, Any]) -> tuple[Architecture, int | None]:
    """The architecture and its positions; raises BadRequest or Unsupported."""
    config = _flattened(config)
    kind = config.get("model_type", "llama")
    build = FAMILIES.get(kind) if isinstance(kind, str) else None
    if build is None:
        _unsupported(str(kind), "that family")
    for key in (*FOREIGN, *LATENT, *ROUTED):
        if config.get(key) and key not in KNOWN.get(kind, ()):
            _unsupported(str(kind), f"its `{key}`")
    try:
        architecture = build(config)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        problem = first["msg"].removeprefix("Value error, ")
        raise BadRequest("architecture", problem) from None
    return architecture, optional(
        config, ("max_position_embeddings", "n_positions"), MOST_POSITIONS
    )


def language_of(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The config without its towers for images and sound; and whether it has any."""
    flat = _flattened(config)
    left = {key: value for key, value in flat.items() if key not in TOWERS}
    return left, len(left) < len(flat)


def _flattened(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the language model's own numbers in place, which a multimodal config nests."""
    text = config.get("text_config")
    if text is None:
        return config
    if not isinstance(text, Mapping):
        raise BadRequest("architecture", "`text_config` is an object of numbers")
    outer = {key: value for key, value in config.items() if key != "text_config"}
    return outer | dict(text)


def weights_of_config(config: Mapping[str, Any]) -> str | None:
    """The format that the config says its weights are in; raises BadRequest for an unknown one."""
    packing = packing_of(config)
    if packing is None:
        name = config.get("dtype", config.get("torch_dtype"))
        return TORCH_DTYPES.get(name) if isinstance(name, str) else None
    if packing.format is None:
        raise BadRequest(
            "weights",
            f"the config's weights are packed ({packing.method}): say in which format",
            suggestions=("gptq4", "awq4", "nf4_dq", "fp8"),
        )
    return packing.format


def _unsupported(kind: str, what: str) -> NoReturn:
    raise Unsupported(
        "architecture",
        f"I cannot size a `{shown(kind)}` config yet: {what} is not among the parts that I count. "
        f"Known families: {', '.join(FAMILIES)}.",
    )
