"""Every config.json that steps were counted from is the shape of its row, to the last parameter."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from estimator import BadRequest, Unsupported, architecture_from_config, load_catalog
from tests.estimator.configs import LLAMA_31_8B
from tests.estimator.questions import Document

COUNTING = Path(__file__).parents[1] / "accuracy" / "counting" / "configs.toml"
CONFIGS: dict[str, Document] = tomllib.loads(COUNTING.read_text("utf-8"))
CATALOG = load_catalog()
# TOML has no null, which says that DeepSeek's queries have no rank.
LATENT = {"q_lora_rank": None}
UNKNOWN = ("facebook/opt-350m", "EleutherAI/gpt-neo-125m")  # refused, by name
NAMES = [name for name in CONFIGS if CATALOG.models.get(name) and name not in UNKNOWN]


def config_of(name: str) -> dict[str, Any]:
    config = dict(CONFIGS[name])
    return (LATENT | config) if "deepseek" in config["model_type"] else config


def test_there_are_many_families() -> None:
    assert len({CONFIGS[name]["model_type"] for name in NAMES}) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_a_config_counts_as_its_row(name: str) -> None:
    row = CATALOG.models.find(name)
    architecture, _ = architecture_from_config(config_of(name))
    tower = row.architecture.tower
    seen = 0 if tower is None else tower.parameters
    assert architecture.parameters == row.parameters - sum(row.apart.values()) - seen
    assert architecture.active_parameters == row.architecture.active_parameters - seen


KIN = ("cohere", "cohere2", "glm", "glm4", "stablelm", "olmo", "phi", "gptj", "falcon", "bloom",
       "smollm3", "nemotron", "exaone4", "qwen2_moe", "olmoe", "granitemoe")  # fmt: skip


@pytest.mark.parametrize("name", [n for n in NAMES if CONFIGS[n]["model_type"] in KIN])
def test_its_modules_are_those_of_the_row(name: str) -> None:
    row = CATALOG.models.find(name).architecture
    architecture, _ = architecture_from_config(config_of(name))
    assert sorted(architecture.stack, key=repr) == sorted(row.stack, key=repr)


@pytest.mark.parametrize("name", NAMES)
def test_its_norm_and_head_are_those_of_the_row(name: str) -> None:
    row = CATALOG.models.find(name).architecture
    architecture, _ = architecture_from_config(config_of(name))
    assert (architecture.norm, architecture.tied) == (row.norm, row.tied)


@pytest.mark.parametrize(
    ("model_type", "name", "changed"),
    [
        ("seed_oss", "ByteDance-Seed/Seed-OSS-36B-Instruct", {"tie_word_embeddings": False}),
        ("ernie4_5", "baidu/ERNIE-4.5-0.3B-PT", {}),
        ("hunyuan_v1_dense", "tencent/Hunyuan-0.5B-Instruct", {}),
        ("minicpm", "openbmb/MiniCPM-2B-sft-bf16", {}),
        ("internlm3", "internlm/internlm3-8b-instruct", {}),
        ("arcee", "arcee-ai/AFM-4.5B", {}),
        ("apertus", "swiss-ai/Apertus-8B-2509", {}),
        ("gpt_bigcode", "ibm-granite/granite-20b-code-base-8k", {}),
    ],
)
def test_those_of_which_no_step_was_counted(model_type: str, name: str, changed: Document) -> None:
    """A config with the row's own sizes, in the words of its family, counts as the row."""
    row = CATALOG.models.find(name)
    (block,) = row.architecture.blocks.values()
    heads: Any = block.attention
    mlp: Any = block.mlp
    config: Document = {
        "model_type": model_type,
        "hidden_size": row.architecture.hidden,
        "n_embd": row.architecture.hidden,
        "intermediate_size": mlp.inner,
        "num_hidden_layers": row.architecture.depth,
        "num_attention_heads": heads.query_heads,
        "n_head": heads.query_heads,
        "num_key_value_heads": heads.kv_heads,
        "head_dim": heads.head_dim,
        "n_positions": row.context,
        "vocab_size": row.architecture.vocabulary,
    }
    architecture, _ = architecture_from_config(config | changed)
    assert architecture.parameters == row.parameters
    assert architecture.stack == row.architecture.stack


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model_type": "cohere", "use_qk_norm": True}, "by name only"),
        ({"model_type": "stablelm", "use_parallel_residual": True}, "by name only"),
        ({"model_type": "phi", "qk_layernorm": True}, "not counted"),
        ({"model_type": "falcon", "bias": True}, "not counted"),
        ({"model_type": "falcon", "parallel_attn": False}, "not counted"),
        ({"model_type": "qwen2_moe", "mlp_only_layers": [1]}, "not counted"),
        ({"model_type": "smollm3", "sliding_window": 512}, "not counted"),
    ],
)
def test_parts_that_are_not_counted_are_refused(changed: Document, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        architecture_from_config(LLAMA_31_8B | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"model_type": "falcon", "num_ln_in_parallel_attn": 9},
        {"model_type": "gptj", "n_embd": "wide"},
        {"model_type": "bloom", "n_head": -1},
        {"model_type": "phi", "vocab_size": 0},
        {"model_type": "cohere2", "layer_types": [["full_attention"]] * 32},
        {"model_type": "glm4", "attention_bias": "yes"},
        {"model_type": "arcee", "intermediate_size": None},
    ],
)
def test_broken_numbers_of_theirs_are_refused(changed: Document) -> None:
    with pytest.raises(BadRequest):
        architecture_from_config(LLAMA_31_8B | changed)
