"""Names become rows, defaults are listed with their source, and nothing is silently dropped."""

import pytest

from estimator import (
    BadRequest,
    Contradiction,
    EstimatorError,
    UnknownName,
    Unsupported,
    answer,
    answer_document,
    load_catalog,
    parse_request,
)
from tests.estimator.questions import Document, serve, train
from tests.estimator.words import (
    ADAPTERS,
    METHODS,
    OTHERS,
    TRAIN_ALL,
    TRAIN_BLOCKS,
)

CATALOG = load_catalog()
KNOWN = (*ADAPTERS, *OTHERS, *TRAIN_ALL, *TRAIN_BLOCKS)
SPREAD = ("tp", "pp", "dp", "ep", "world", "gpus")


def refused(request: Document) -> EstimatorError:
    """The error that `request` is answered with."""
    with pytest.raises(EstimatorError) as raised:
        answer(parse_request(request), CATALOG)
    assert len(raised.value.message) < 4000
    return raised.value


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (train(method="full", rank=16), ("method", "rank")),
        (train(rank=16), ("method", "rank")),
        (train(method="full", targets="all-linear"), ("method", "targets")),
        (train(method="full", adapter="bf16"), ("method", "adapter")),
        (train(method="full", lora_dropout=0.1), ("method", "lora_dropout")),
        (train(method="full", kbit_prepare=True), ("method", "kbit_prepare")),
        (train(method="lomo", rank=16), ("method", "rank")),
        (train(method="full", weights="nf4"), ("method", "weights")),
        (train(method="galore", weights="gptq4"), ("method", "weights")),
        (train(method="full", weights="gguf:Q4_K_M"), ("weights",)),
        (train(method="qlora", weights="gguf:Q4_K_M"), ("weights",)),
        (serve(weights="gguf:Q4_K_M", engine="vllm"), ("engine", "weights")),
        (serve(weights="awq4", engine="llama.cpp"), ("engine", "weights")),
        (serve(weights="fp8", engine="llama.cpp"), ("engine", "weights")),
        (serve(weights="gptq4", engine="ollama"), ("engine", "weights")),
        (serve(weights="exl2", bpw=4, engine="vllm"), ("engine", "weights")),
        (serve(weights="fp16", engine="vllm", kv="Q4_0"), ("engine", "kv")),
        (serve(weights="fp16", engine="vllm", kv_v="Q8_0"), ("engine", "kv_v")),
        (serve(model="8B", engine="vllm", tp=3, world=3), ("tp",)),
        (serve(prompt=4000, new_tokens=500, context=4096), ("prompt", "new_tokens", "context")),
        (train(strategy="single", world=4), ("strategy", "world", "gpus")),
        (serve(tp=2, world=3), SPREAD),
        (serve(pp=2, tp=4, world=4), SPREAD),
        (serve(dp=3, world=4), SPREAD),
        (serve(model="8B", engine="vllm", tp=16, world=16, weights="bf16", pp=40), SPREAD),
        (train(world=2, gpus=[{"id": "h100", "count": 8}]), ("world", "gpus")),
    ],
)
def test_contradictions(request_: Document, fields: tuple[str, ...]) -> None:
    error = refused(request_)
    assert isinstance(error, Contradiction), error
    assert error.fields == fields
    assert error.suggestions


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        *((train(method=m), "method") for m in METHODS if m not in KNOWN),
        *((train(objective=o, loss="liger"), "loss") for o in ("dpo", "grpo", "ppo", "distill")),
        *((train(strategy=s, world=4), "strategy") for s in ("device_map",)),
        *((serve(strategy=s, world=4), "strategy") for s in ("ddp", "fsdp", "zero3")),
    ],
)
def test_what_has_no_estimate_says_so(request_: Document, field: str) -> None:
    error = refused(request_)
    assert isinstance(error, Unsupported), error
    assert error.field == field


@pytest.mark.parametrize(
    ("request_", "name", "closest"),
    [
        (train(model="lama 3.1 8b"), "lama 3.1 8b", "meta-llama/Llama-3.1-8B"),
        (train(model="mistral-7b-v0.4"), "mistral-7b-v0.4", "mistralai/Mistral-7B-v0.3"),
        (train(gpus=[{"id": "rtx 4091"}]), "rtx 4091", "rtx-4090"),
        (train(gpus=[{"id": "a100"}]), "a100", "a100-sxm4-80gb"),  # which size?
        (train(optimizer="adamw8"), "adamw8", "adamw_8bit"),
        (train(method="lora", weights="nf5"), "nf5", "nf4"),
        (train(grads="bf17"), "bf17", "bf16"),
        (train(method="lora", adapter="fp33"), "fp33", "fp32"),
        (serve(engine="vlm"), "vlm", "vllm"),
        (serve(kv="q8"), "q8", "Q8_0"),
        (serve(weights="gguf:Q4_K_X"), "gguf:Q4_K_X", "gguf:Q4_K_M"),
    ],
)
def test_unknown_names_are_errors_with_the_closest(
    request_: Document, name: str, closest: str
) -> None:
    error = refused(request_)
    assert isinstance(error, UnknownName), error
    assert error.name == name
    assert closest in error.suggestions


def test_a_name_like_nothing_has_no_closest() -> None:
    assert refused(train(model="☃☃☃☃")).suggestions == ()


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (train(method="lora", rank=4096), "rank"),  # TinyLlama is 2,048 wide
        (train(method="lora", targets=["qq_proj"]), "targets"),
        (train(method="lora", adapter="nf4"), "adapter"),
        (train(grads="nf4"), "grads"),
        (serve(weights="exl2"), "bpw"),
        (serve(kv="nf4_dq"), "kv"),
    ],
)
def test_values_out_of_place_name_their_field(request_: Document, field: str) -> None:
    error = refused(request_)
    assert isinstance(error, BadRequest), error
    assert error.field == field


def test_new_tokens_alone_are_an_answer() -> None:
    answered = answer_document(serve(new_tokens=128), CATALOG)
    assert answered["error"] is None


def test_targets_need_be_modules_of_the_size_s_own_shape_only() -> None:
    # 14B stands for Qwen2.5-14B; Phi-4, which its range spans, fuses q, k and v
    asked = train(model="14B", method="lora", targets=["q_proj"])
    assert answer_document(asked, CATALOG)["error"] is None


@pytest.mark.parametrize(
    ("request_", "more"),
    [
        (serve(), {"tp": 2}),
        (serve(), {"offload": "params"}),
        (serve(weights="gptq4"), {"group_size": 32}),
        (train(method="qlora"), {"group_size": 32}),
        (train(), {"dp": 4}),
        (train(), {"bpw": 3.0}),
        (train(), {"offload": "activations"}),
        (train(), {"offload": "params"}),
        (train(strategy="fsdp", world=4), {"reshard": False}),
        (train(strategy="fsdp", world=4), {"mp_policy": {"param": "fp32", "reduce": "fp32"}}),
        (train(method="lora"), {"rule_bytes_per_parameter": 18}),
        (train(method="lora"), {"master": "fp32"}),
    ],
    ids=str,
)
def test_no_wish_is_passed_over_in_silence(request_: Document, more: Document) -> None:
    """What was asked changes the answer, or is refused, or is warned of."""
    before = answer_document(request_, CATALOG)
    after = answer_document(request_ | more, CATALOG)
    shown = ("moments", "second_opinions", "warnings", "error")
    assert any(before[part] != after[part] for part in shown)


@pytest.mark.parametrize(
    "request_",
    [
        serve(weights="fp16", engine="llama.cpp"),
        serve(weights="gguf:Q8_0", engine="ollama", kv="Q8_0"),
        serve(weights="awq4", engine="vllm", kv="fp8"),
        serve(weights="exl2", bpw=4, engine="exllamav2"),
        serve(weights="gguf:Q4_K_M", kv="int8"),
        serve(kv="Q8_0"),  # llama.cpp's, where no engine is named
        serve(weights="awq4", kv_k="Q8_0"),
        serve(model="8B", engine="vllm", tp=4, world=4),
        serve(model="8B", engine="llama.cpp", weights="gguf:Q4_K_M", world=3),
    ],
)
def test_pairs_that_go_together_are_answered(request_: Document) -> None:
    assert answer(parse_request(request_), CATALOG).estimate.high_bytes > 0


def test_cards_that_heads_do_not_divide_over_share_the_layers() -> None:
    three = answer(parse_request(serve(model="8B", engine="vllm", world=3)), CATALOG)
    four = answer(parse_request(serve(model="8B", engine="vllm", world=4)), CATALOG)
    assert (three.setup.strategy, four.setup.strategy) == ("pp", "tp")
