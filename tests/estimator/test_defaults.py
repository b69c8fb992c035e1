"""The defaults: each is taken as stated, listed, and has a source that resolves."""

import pytest

from estimator import answer_document, load_catalog
from tests.estimator.questions import TABLE, Document, label

CATALOG = load_catalog()


def assumed(request: Document) -> dict[str, str]:
    answered = answer_document(request, CATALOG)
    assert answered["error"] is None, answered["error"]
    return {a["field"]: a["value"] for a in answered["assumed"]}


def train(model: str, **fields: object) -> dict[str, str]:
    return assumed({"task": "train", "model": model, **fields})


def serve(model: str, **fields: object) -> dict[str, str]:
    return assumed({"task": "infer", "model": model, **fields})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("method", "full"),
        ("checkpointing", "full"),
        ("model", "mistralai/Mistral-7B-v0.3"),
        ("weights", "bf16"),
        ("master", "fp32"),
        ("optimizer", "adamw_fused"),
        ("batch", "1"),
        ("accumulation", "1"),
        ("seq", "2048"),
        ("attention", "flash"),
        ("loss", "stock"),
    ],
)
def test_training(field: str, value: str) -> None:
    assert train("7B")[field] == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", "bf16"),
        ("autocast", "yes"),
        ("rank", "16"),
        ("targets", "all-linear"),
        ("adapter", "fp32"),
        ("checkpointing", "full"),
    ],
)
def test_lora(field: str, value: str) -> None:
    assert train("7B", method="lora")[field] == value


def test_lora_has_no_dropout() -> None:
    assert float(train("7B", method="lora")["lora_dropout"]) == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", "nf4_dq"),
        ("compute", "bf16"),
        ("kbit_prepare", "yes"),
        ("rank", "16"),
        ("targets", "all-linear"),
        ("checkpointing", "full"),
    ],
)
def test_qlora(field: str, value: str) -> None:
    assert train("7B", method="qlora")[field] == value


@pytest.mark.parametrize(
    ("model", "method", "value"),
    [
        ("meta-llama/Llama-3.2-1B", "full", "none"),
        ("Qwen/Qwen2.5-1.5B", "full", "none"),
        ("meta-llama/Llama-3.2-3B", "full", "full"),  # 3.2 billion
        ("openai-community/gpt2", "lora", "full"),
        ("openai-community/gpt2", "qlora", "full"),
    ],
)
def test_checkpointing(model: str, method: str, value: str) -> None:
    assert train(model, method=method)["checkpointing"] == value


@pytest.mark.parametrize("word", ["adam", "adamw"])
def test_adam_is_the_trainers(word: str) -> None:
    assert train("7B", optimizer=word)["optimizer"] == "adamw_fused"


@pytest.mark.parametrize("word", ["adamw_fused", "adamw_foreach", "adamw_8bit"])
def test_an_optimizer_that_was_named_is_not_assumed(word: str) -> None:
    assert "optimizer" not in train("7B", optimizer=word)


@pytest.mark.parametrize(
    ("size", "model"),
    [
        ("7B", "mistralai/Mistral-7B-v0.3"),
        ("8B", "meta-llama/Llama-3.1-8B"),
        ("13B", "meta-llama/Llama-2-13b-hf"),
        ("14B", "Qwen/Qwen2.5-14B"),
        ("32B", "Qwen/Qwen2.5-32B"),
        ("34B", "codellama/CodeLlama-34b-hf"),
        ("70B", "meta-llama/Llama-3.1-70B"),
        ("8x7B", "mistralai/Mixtral-8x7B-v0.1"),
    ],
)
def test_bare_sizes(size: str, model: str) -> None:
    assert train(size)["model"] == serve(size)["model"] == model


@pytest.mark.parametrize(
    ("weights", "engine"),
    [
        ("bf16", "vllm"),
        ("fp16", "vllm"),
        ("gptq4", "vllm"),
        ("awq4", "vllm"),
        ("fp8", "vllm"),
        ("gguf:Q4_K_M", "llama.cpp"),
    ],
)
def test_engines(weights: str, engine: str) -> None:
    assert serve("8B", weights=weights)["engine"] == engine


@pytest.mark.parametrize(
    ("field", "value"),
    [("weights", "bf16"), ("context", "8192"), ("users", "1"), ("kv", "bf16")],
)
def test_serving(field: str, value: str) -> None:
    assert serve("8B")[field] == value


def test_the_context_is_the_models_if_that_is_smaller() -> None:
    assert serve("meta-llama/Llama-2-7b-hf")["context"] == "4096"
    assert serve("openai-community/gpt2")["context"] == "1024"


def test_a_cache_half_named_lists_the_other_half() -> None:
    assert serve("8B", kv_k="Q8_0")["kv_v"] == "fp16"


def test_the_rank_of_a_projection_is_listed() -> None:
    assert train("7B", method="galore")["rank"] == "128"


@pytest.mark.parametrize("method", [None, "full", "lora", "qlora", "galore"])
def test_checkpointing_is_said_first(method: str | None) -> None:
    assert next(iter(train("7B", **({} if method is None else {"method": method})))) == (
        "checkpointing"
    )


@pytest.mark.parametrize("request_", TABLE, ids=label)
def test_only_what_was_left_open_is_assumed(request_: Document) -> None:
    """Bare sizes and words that stand for another are the exceptions."""
    answered = answer_document(request_, CATALOG)
    for assumption in answered["assumed"]:
        field = assumption["field"]
        CATALOG.sources.find(assumption["source"])
        assert field in answered["understood"]
        if field not in ("model", "optimizer", "weights"):
            assert request_.get(field) is None, assumption
