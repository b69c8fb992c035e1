"""A config.json is data: real ones count exactly, broken ones are refused in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import BadRequest, Unsupported, answer_document, load_catalog
from estimator.hf_config import architecture_from_config
from tests.estimator.configs import GEMMA_2_2B, GPT2, LLAMA_31_8B, MIXTRAL, PHI_3_MINI, QWEN_25_7B
from tests.estimator.questions import FIXED, Document

CATALOG = load_catalog()
HUGE = 10**30


@pytest.mark.parametrize(
    ("config", "name", "parameters"),
    [
        (LLAMA_31_8B, "meta-llama/Llama-3.1-8B", 8_030_261_248),
        (QWEN_25_7B, "Qwen/Qwen2.5-7B", 7_615_616_512),
        (GEMMA_2_2B, "google/gemma-2-2b", 2_614_341_888),
        (PHI_3_MINI, "microsoft/Phi-3-mini-4k-instruct", 3_821_079_552),
        (MIXTRAL, "mistralai/Mixtral-8x7B-v0.1", 46_702_792_704),
        (GPT2, "openai-community/gpt2", 124_439_808),
    ],
    ids=["llama", "qwen2", "gemma2", "phi3", "mixtral", "gpt2"],
)
def test_real_configs_count_as_the_table_does(config: Document, name: str, parameters: int) -> None:
    row = CATALOG.models.find(name)
    architecture, context = architecture_from_config(config)
    assert architecture.parameters == row.parameters == parameters
    assert architecture.active_parameters == row.architecture.active_parameters
    assert context == config.get("max_position_embeddings", config.get("n_positions"))
    assert architecture.tied == row.architecture.tied


def test_gemma_2_alternates_windows() -> None:
    architecture, _ = architecture_from_config(GEMMA_2_2B)
    windows = [(count, block.attention.window) for count, block in architecture.stack]
    assert sorted(windows, key=str) == [(13, 4096), (13, None)]


@pytest.mark.parametrize("task", ["train", "infer"])
def test_a_config_is_answered_as_the_model_is(task: str) -> None:
    by_name = answer_document({"task": task, "model": "meta-llama/Llama-3.1-8B"}, CATALOG)
    by_config = answer_document({"task": task, "architecture": LLAMA_31_8B}, CATALOG)
    assert by_config["moments"] == by_name["moments"]
    assert by_config["understood"]["architecture"] == LLAMA_31_8B


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"hidden_size": 4100}, "head_dim"),  # 4100 ÷ 32 is no whole number
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": "4096"}, "hidden_size"),
        ({"hidden_size": 4096.5}, "hidden_size"),
        ({"hidden_size": [4096]}, "hidden_size"),
        ({"hidden_size": True}, "hidden_size"),
        ({"hidden_size": HUGE}, "hidden_size"),
        ({"hidden_size": float("nan")}, "hidden_size"),
        ({"hidden_size": float("inf")}, "hidden_size"),
        ({"intermediate_size": -14336}, "intermediate_size"),
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
        ({"num_hidden_layers": HUGE}, "num_hidden_layers"),
        ({"num_attention_heads": -1}, "num_attention_heads"),
        ({"num_key_value_heads": 7}, "kv heads"),  # 32 do not divide into 7
        ({"num_key_value_heads": 0}, "num_key_value_heads"),
        ({"head_dim": 0}, "head_dim"),
        ({"head_dim": HUGE}, "head_dim"),
        ({"vocab_size": None}, "vocab_size"),
        ({"vocab_size": HUGE}, "vocab_size"),
        ({"max_position_embeddings": "long"}, "max_position_embeddings"),
        ({"max_position_embeddings": HUGE}, "max_position_embeddings"),
        ({"tie_word_embeddings": "false"}, "tie_word_embeddings"),
        ({"attention_bias": "no"}, "attention_bias"),
        ({"mlp_bias": 3}, "mlp_bias"),
    ],
    ids=str,
)
def test_broken_numbers_are_named(changed: Document, words: str) -> None:
    with pytest.raises(BadRequest) as raised:
        architecture_from_config(LLAMA_31_8B | changed)
    assert raised.value.field == "architecture"
    assert words in raised.value.message


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"num_local_experts": None}, "num_local_experts"),
        ({"num_local_experts": HUGE}, "num_local_experts"),
        ({"num_experts_per_tok": 9}, "experts"),  # of 8
    ],
    ids=str,
)
def test_broken_experts_are_named(changed: Document, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        architecture_from_config(MIXTRAL | changed)


@pytest.mark.parametrize(
    "config",
    [
        LLAMA_31_8B | {"model_type": "zamba2"},
        LLAMA_31_8B | {"model_type": "deepseek_v9", "kv_lora_rank": 512},
        LLAMA_31_8B | {"kv_lora_rank": 512, "qk_rope_head_dim": 64},
        LLAMA_31_8B | {"model_type": 7},
        LLAMA_31_8B | {"model_type": ["llama"]},
        LLAMA_31_8B | {"model_type": ""},
        LLAMA_31_8B | {"vision_config": {"hidden_size": 1024}},
        GPT2 | {"model_type": "whisper"},
    ],
)
def test_families_that_are_not_counted_are_refused(config: Document) -> None:
    with pytest.raises(Unsupported, match="cannot size") as raised:
        architecture_from_config(config)
    assert raised.value.field == "architecture"


def test_a_family_left_out_is_never_assumed_in_silence() -> None:
    config = {key: value for key, value in LLAMA_31_8B.items() if key != "model_type"}
    answered = answer_document({"task": "infer", "architecture": config}, CATALOG)
    said = [a for a in answered["assumed"] if a["field"] in ("architecture", "model")]
    assert answered["error"] or said or answered["warnings"]


def test_code_in_a_config_is_never_looked_at() -> None:
    config = LLAMA_31_8B | {"auto_map": {"AutoModelForCausalLM": "evil.Model"}}
    assert architecture_from_config(config) == architecture_from_config(LLAMA_31_8B)


_VALUE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from((0, -1, 1, 7, 64, HUGE, -HUGE)),
    st.floats(),
    st.text(max_size=9),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@given(data=st.data(), config=st.sampled_from((LLAMA_31_8B, GEMMA_2_2B, MIXTRAL, GPT2, PHI_3_MINI)))
@FIXED
def test_any_config_is_an_architecture_or_an_error_in_words(
    data: st.DataObject, config: Document
) -> None:
    broken = data.draw(st.dictionaries(st.sampled_from(sorted(config)), _VALUE, max_size=3))
    answered = answer_document({"task": "infer", "architecture": config | broken}, CATALOG)
    if answered["error"] is None:
        assert answered["parameters"]["total"] > 0
    else:
        assert 0 < len(answered["error"]["message"]) < 4000
