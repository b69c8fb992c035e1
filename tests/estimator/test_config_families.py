"""Families of config.json beyond Llama's: windows, routed experts, latent attention."""

import pytest

from estimator import BadRequest, Unsupported
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
