"""Real shapes of config.json, a repository each, and how many parameters that model has."""

from typing import Any, NamedTuple

from estimator import load_catalog
from tests.estimator import configs
from tests.estimator.more_configs import BY_MODEL
from tests.estimator.test_config_kin import NAMES, config_of

CATALOG = load_catalog()
Json = dict[str, Any]

# What published files hold beside numbers of the shape: names, code that nobody runs, ids.
BESIDE: Json = {
    "_name_or_path": "/data/checkpoints/final",
    "architectures": ["AnyForCausalLM"],
    "auto_map": {"AutoModelForCausalLM": "modeling_any.AnyForCausalLM"},
    "bos_token_id": 1,
    "eos_token_id": [2, 3],
    "initializer_range": 0.02,
    "rope_theta": 10000.0,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.51.0",
    "use_cache": True,
}
VISION: Json = {"hidden_size": 1152, "num_hidden_layers": 27, "model_type": "siglip_vision_model"}


class Family(NamedTuple):
    """A config.json as it is published; `parameters` that the table knows of its model."""

    config: Json
    parameters: int
    tower: int = 0


def _of_table() -> dict[str, Family]:
    found: dict[str, Family] = {}
    for name in (*NAMES, *BY_MODEL):
        config = config_of(name) if name in NAMES else BY_MODEL[name]
        row = CATALOG.models.find(name)
        tower = row.architecture.tower
        seen = 0 if tower is None else tower.parameters
        count = row.parameters - sum(row.apart.values())
        if seen:
            outer = {"model_type": "gemma3", "vision_config": VISION, "text_config": config}
            found[name] = Family(BESIDE | outer, count, seen)
        else:
            found[name] = Family(BESIDE | dict(config), count)
    return found


def _qwen_vl() -> Family:
    """The older form, whose text is not nested."""
    row = CATALOG.models.find("Qwen/Qwen2.5-VL-3B-Instruct")
    assert row.architecture.tower is not None
    config: Json = {
        "model_type": "qwen2_5_vl",
        "hidden_size": 2048,
        "intermediate_size": 11008,
        "num_hidden_layers": 36,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "vocab_size": 151936,
        "max_position_embeddings": 128000,
        "tie_word_embeddings": True,
        "vision_config": {"depth": 32, "hidden_size": 1280},
    }
    return Family(BESIDE | config, row.parameters, row.architecture.tower.parameters)


FAMILIES: dict[str, Family] = _of_table() | {"Qwen/Qwen2.5-VL-3B-Instruct": _qwen_vl()}
LLAMA = BESIDE | configs.LLAMA_31_8B
LLAMA_COUNT = 8_030_261_248
