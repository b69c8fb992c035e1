"""What PEFT's methods train, what each takes by default, and what none of them does."""

import pytest

from estimator import (
    BadRequest,
    Contradiction,
    EstimatorError,
    Unsupported,
    answer,
    answer_document,
    load_catalog,
    parse_request,
)
from tests.estimator.configs import DEEPSEEK_V2_LITE
from tests.estimator.questions import Document, train
from tests.estimator.words import OTHERS

CATALOG = load_catalog()
LLAMA_2 = "meta-llama/Llama-2-7b-hf"  # 32 blocks of 4096, MLP 11008
QWEN = "Qwen/Qwen2.5-7B"  # 28 blocks of 3584, keys and values 512, MLP 18944


def trained(**fields: object) -> int:
    document = answer_document(train(**fields), CATALOG)
    assert document["error"] is None, document["error"]
    count: int = document["parameters"]["trainable"]
    return count


def refused(request: Document) -> EstimatorError:
    with pytest.raises(EstimatorError) as raised:
        answer(parse_request(request), CATALOG)
    return raised.value


@pytest.mark.parametrize(
    ("method", "count"),
    [
        ("lora_fa", 32 * 16 * (5 * 4096 + 2 * 11008)),
        ("vera", 32 * (7 * 256 + 5 * 4096 + 2 * 11008)),
        ("adalora", 32 * (12 * (8 * 4096 + 3 * (4096 + 11008)) + 7 * 13)),
        ("ia3", 32 * (2 * 4096 + 11008)),
        ("loha", 32 * 2 * 8 * (8 * 4096 + 3 * (4096 + 11008))),
        # 4096 = 64 × 64; 11008 = 86 × 128
        ("lokr", 32 * (4 * (64 * 64 + 16 * 64) + 3 * (64 * 86 + 8 * (64 + 128)))),
        ("oft", 32 * (31 * 16) * (6 * 128 + 344)),
        ("boft", 32 * (4 * (6 * 4096 + 11008) + 5 * 4096 + 2 * 11008)),
        ("prompt", 20 * 4096),
        ("ptuning", 20 * 4096 + 3 * (4096 * 4096 + 4096)),
        ("prefix", 20 * 32 * 2 * 4096),
        ("ln_tuning", 65 * 4096),
        ("llama_adapter", 32 * (10 * 4096 + 1)),
    ],
)
def test_what_is_trained_of_llama_2(method: str, count: int) -> None:
    assert trained(model=LLAMA_2, method=method) == count


def test_defaults_follow_the_family() -> None:
    assert trained(model=QWEN, method="ia3") == 28 * (3584 + 512 + 18944)  # q, v and down
    assert trained(model=QWEN, method="ln_tuning") == 28 * 3584  # the second norm of each
    assert trained(model=QWEN, method="prefix", virtual_tokens=5) == 5 * 28 * 2 * 512


def test_a_bare_size_has_the_family_of_its_model() -> None:
    named = trained(model="Qwen/Qwen2.5-14B", method="ia3")
    assert trained(model="14B", method="ia3") == named


@pytest.mark.parametrize("method", OTHERS)
def test_what_a_method_takes_by_default_is_listed(method: str) -> None:
    document = answer_document(train(method=method), CATALOG)
    fields = {assumed["field"] for assumed in document["assumed"]}
    assert "checkpointing" in fields
    assert fields & {"rank", "targets", "virtual_tokens"}
    assert all(assumed["source"] for assumed in document["assumed"])


def test_lora_fa_brings_its_optimizer() -> None:
    assumed = answer_document(train(method="lora_fa"), CATALOG)["assumed"]
    assert [a["value"] for a in assumed if a["field"] == "optimizer"] == ["adamw_loop"]


def test_a_tied_embedding_and_head_are_saved_as_two() -> None:
    ask = {"model": "meta-llama/Llama-3.2-1B", "method": "lora", "rank": 8}
    alone = trained(**ask)
    both = trained(**ask, modules_to_save=["embed_tokens", "lm_head"])
    assert both - alone == 2 * 128_256 * 2048


def test_virtual_tokens_lengthen_the_sequence() -> None:
    usual = answer_document(train(method="prompt", seq=1000), CATALOG)
    longer = answer_document(train(method="prompt", seq=1020, virtual_tokens=1), CATALOG)
    (logits,) = (line for line in usual["moments"][2]["lines"] if line["key"] == "logits")
    assert logits["terms"]["tokens"] == 1020
    assert longer["peak"]["bytes"] > usual["peak"]["bytes"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"method": "ia3", "rank": 8}, "rank"),
        ({"method": "boft", "rank": 8}, "rank"),
        ({"method": "prompt", "rank": 8}, "rank"),
        ({"method": "ln_tuning", "targets": "all-linear"}, "targets"),
        ({"method": "prefix", "targets": ["q_proj"]}, "targets"),
        ({"method": "ptuning", "adapter": "bf16"}, "adapter"),
        ({"method": "loha", "lora_dropout": 0.1}, "lora_dropout"),
        ({"method": "oft", "lora_dropout": 0.1}, "lora_dropout"),
        ({"method": "lora", "virtual_tokens": 20}, "virtual_tokens"),
        ({"method": "full", "virtual_tokens": 20}, "virtual_tokens"),
        ({"method": "full", "modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"method": "prompt", "modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"method": "prefix", "checkpointing": "full"}, "checkpointing"),
        ({"method": "loha", "weights": "nf4"}, "weights"),
        ({"method": "lokr", "weights": "int8"}, "weights"),
        ({"method": "vera", "optimizer": "muon"}, "optimizer"),
        ({"method": "ia3", "optimizer": "galore_adamw"}, "optimizer"),
    ],
)
def test_what_a_method_does_not_have_contradicts(fields: Document, field: str) -> None:
    error = refused(train(**fields))
    assert isinstance(error, Contradiction), error
    assert field in error.fields
    assert error.suggestions


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"method": "vera", "targets": ["qq_proj"]}, "targets", "q_proj"),
        ({"method": "lora", "modules_to_save": ["score"]}, "modules_to_save", "lm_head"),
        ({"method": "loha", "rank": 4096}, "rank", "2,048"),
        ({"method": "lora", "rank": 300, "targets": ["k_proj", "v_proj"]}, "rank", "256"),
    ],
)
def test_values_that_the_model_cannot_have(fields: Document, field: str, said: str) -> None:
    error = refused(train(**fields))
    assert isinstance(error, BadRequest), error
    assert error.field == field
    assert said in error.message


def test_a_rank_above_some_targets_is_a_warning() -> None:
    document = answer_document(train(method="lora", rank=300), CATALOG)
    assert document["error"] is None
    assert any("`k_proj` (256)" in warning for warning in document["warnings"])


@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("llama_adapter", {"model": QWEN}),
        ("llama_adapter", {"architecture": DEEPSEEK_V2_LITE}),
        ("prefix", {"architecture": DEEPSEEK_V2_LITE}),
    ],
)
def test_attention_that_a_method_does_not_know(method: str, model: Document) -> None:
    error = refused({"task": "train", "method": method} | model)
    assert isinstance(error, Unsupported), error
    assert error.field == "method"


def test_a_bare_size_spans_the_models_that_a_method_knows() -> None:
    document = answer_document(train(model="7B", method="llama_adapter"), CATALOG)
    assert document["error"] is None


@pytest.mark.parametrize(("weights", "each"), [("int8", 4), ("gptq4", 4), ("nf4", 2), ("bf16", 2)])
def test_adapters_beside_integers_stay_as_peft_draws_them(weights: str, each: int) -> None:
    document = answer_document(train(method="lora", weights=weights, adapter="bf16"), CATALOG)
    loaded = {line["key"]: line["bytes"] for line in document["moments"][0]["lines"]}
    assert loaded["adapters"] == each * document["parameters"]["trainable"]
    said = any("Adapters are counted in fp32" in warning for warning in document["warnings"])
    assert said is (each == 4)
