"""Families of config.json beyond Llama's: windows, routed experts, latent attention."""

import pytest

from estimator import BadRequest, Unsupported, load_catalog
from estimator.hf_config import architecture_from_config
from tests.estimator.configs import (
    DEEPSEEK_V2_LITE,
    DEEPSEEK_V3,
    GEMMA_2_2B,
    GEMMA_3_4B,
    GPT_OSS_20B,
    MINICPM_3,
    QWEN_3_30B,
)
from tests.estimator.more_configs import BY_MODEL
from tests.estimator.questions import Document


def test_windows_as_the_families_lay_them() -> None:
    """Gemma 3: every sixth layer sees all; gpt-oss: every second."""
    for config, sliding, full in ((GEMMA_3_4B, (29, 1024), 5), (GPT_OSS_20B, (12, 128), 12)):
        architecture, _ = architecture_from_config(config)
        found = [(count, block.attention.window) for count, block in architecture.stack]
        assert found == [sliding, (full, None)]


@pytest.mark.parametrize(
    ("config", "parameters", "active"),
    [
        (GEMMA_3_4B, 3_880_263_168, 3_880_263_168),
        (GPT_OSS_20B, 20_914_757_184, 4_187_440_704),
        (QWEN_3_30B, 30_532_122_624, 3_353_032_704),
        (DEEPSEEK_V2_LITE, 15_706_484_224, 2_661_150_208),
        (DEEPSEEK_V3, 671_026_404_352, 37_552_282_624),
        (MINICPM_3, 4_073_875_968, 4_073_875_968),
    ],
    ids=lambda value: value["model_type"] if isinstance(value, dict) else "",
)
def test_routed_latent_and_windowed_configs_count_exactly(
    config: Document, parameters: int, active: int
) -> None:
    architecture, _ = architecture_from_config(config)
    assert architecture.parameters == parameters
    assert architecture.active_parameters == active


def test_layers_that_a_config_lists_are_its_layers() -> None:
    listed = ["full_attention"] + ["sliding_attention"] * 25
    architecture, _ = architecture_from_config(GEMMA_2_2B | {"layer_types": listed})
    assert [(run.times, run.of) for run in architecture.layers] == [
        (1, ("full",)),
        (25, ("sliding",)),
    ]


@pytest.mark.parametrize(
    ("config", "changed", "words"),
    [
        (GEMMA_2_2B, {"layer_types": ["full_attention"]}, "all 26 layers"),
        (GEMMA_2_2B, {"layer_types": ["half_attention"] * 26}, "layer_types"),
        (GEMMA_2_2B, {"layer_types": 7}, "layer_types"),
        (GEMMA_3_4B, {"text_config": 7}, "text_config"),
        (QWEN_3_30B, {"mlp_only_layers": 7}, "mlp_only_layers"),
        (DEEPSEEK_V3, {"n_shared_experts": -1}, "n_shared_experts"),
        (
            {**DEEPSEEK_V3, "model_type": "minicpm3", "n_routed_experts": 0},
            {},
            "moe_intermediate_size",
        ),
    ],
    ids=str,
)
def test_broken_numbers_of_other_families_are_named(
    config: Document, changed: Document, words: str
) -> None:
    with pytest.raises((BadRequest, Unsupported), match=words):
        architecture_from_config(config | changed)


def test_the_rank_of_queries_is_said_or_null() -> None:
    left = {key: value for key, value in DEEPSEEK_V3.items() if key != "q_lora_rank"}
    with pytest.raises(BadRequest, match="null"):
        architecture_from_config(left)


@pytest.mark.parametrize("name", BY_MODEL)
def test_a_config_is_the_shape_of_its_row(name: str) -> None:
    row = load_catalog().models.find(name)
    architecture, context = architecture_from_config(BY_MODEL[name])
    assert architecture.parameters == row.parameters - sum(row.apart.values())
    assert sorted(architecture.stack, key=repr) == sorted(row.architecture.stack, key=repr)
    assert context in (None, row.context, 514)  # RoBERTa has two positions more than tokens


@pytest.mark.parametrize(
    ("name", "changed", "words"),
    [
        ("facebook/opt-1.3b", {"word_embed_proj_dim": 512}, "narrower"),
        ("LiquidAI/LFM2-350M", {"full_attn_idxs": None}, "full_attn_idxs"),
        ("google-t5/t5-base", {"d_kv": 0}, "d_kv"),
        ("state-spaces/mamba-130m-hf", {"time_step_rank": "many"}, "time_step_rank"),
        ("google-bert/bert-base-uncased", {"type_vocab_size": -1}, "type_vocab_size"),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", {"linear_num_key_heads": 0}, "linear_num_key_heads"),
    ],
)
def test_broken_numbers_of_the_others_are_named(name: str, changed: Document, words: str) -> None:
    with pytest.raises((BadRequest, Unsupported), match=words):
        architecture_from_config(BY_MODEL[name] | changed)


def test_a_step_rank_that_is_left_to_the_code_is_a_sixteenth() -> None:
    config = BY_MODEL["state-spaces/mamba-130m-hf"]
    left = architecture_from_config(config | {"time_step_rank": "auto"})
    assert left == architecture_from_config(config)
