"""Programs that train: their defaults, what their code keeps, and what they refuse."""

from collections.abc import Iterator
from itertools import product

import pytest

from estimator import Answer, EstimatorError, Unsupported, answer, load_catalog, parse_request
from estimator.errors import Contradiction, UnknownName
from estimator.judging import resolve
from estimator.setup import TrainSetup
from tests.estimator.questions import Document
from tests.formula_text import evaluate

CATALOG = load_catalog()
FRAMEWORKS = ("litgpt", "litgpt-2023", "torchtune", "unsloth")
MODELS = (
    "meta-llama/Llama-3.2-1B",  # tied, grouped heads
    "meta-llama/Llama-2-7b-hf",
    "microsoft/Phi-3-mini-4k-instruct",  # fused projections
    "google/gemma-2-2b",  # soft caps, four norms
)
METHODS: tuple[Document, ...] = (
    {"method": "full"},
    {"method": "lora", "rank": 8},
    {"method": "qlora", "weights": "nf4"},
    {"method": "lora", "lora_dropout": 0.1, "targets": "all-linear", "checkpointing": "none"},
    {"method": "full", "compile": True, "checkpointing": "full", "accumulation": 4},
)


def ask(**wish: object) -> Answer:
    return answer(parse_request({"task": "train", "seq": 512} | wish), CATALOG)


def setup_of(**wish: object) -> TrainSetup:
    setup = resolve(parse_request({"task": "train", "seq": 512} | wish), CATALOG)
    assert isinstance(setup, TrainSetup)
    return setup


def cases() -> Iterator[Document]:
    for framework, model, method in product(FRAMEWORKS, MODELS, METHODS):
        yield {"framework": framework, "model": model, **method}
    for variant in ("v1", "v2"):
        yield {
            "framework": "litgpt",
            "model": MODELS[1],
            "method": "llama_adapter",
            "variant": variant,
        }


@pytest.mark.parametrize("wish", list(cases()), ids=str)
def test_text_and_number_agree_in_every_line(wish: Document) -> None:
    found = ask(**wish)
    for moment in found.estimate.moments:
        for line in moment.lines:
            assert evaluate(line.formula, line.terms) == line.bytes, line.key
            assert CATALOG.sources.get(line.source) is not None, line.source
            low = line.bytes if line.low_bytes is None else line.low_bytes
            high = line.bytes if line.high_bytes is None else line.high_bytes
            assert 0 <= low <= line.bytes <= high, line.key


@pytest.mark.parametrize("wish", list(cases()), ids=str)
def test_longer_and_more_is_never_less(wish: Document) -> None:
    one = ask(**wish).estimate.peak.bytes
    assert ask(**wish, batch=2).estimate.peak.bytes >= one
    assert ask(**wish | {"seq": 1024}).estimate.peak.bytes >= one


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_default_of_a_framework_is_listed_with_a_source(framework: str) -> None:
    bare = setup_of(model="7B", method="qlora")
    named = setup_of(model="7B", method="qlora", framework=framework)
    listed = {one.field: one.value for one in named.assumed}
    assert all(CATALOG.sources.get(one.source) for one in named.assumed)
    for field in ("kbit_prepare", "checkpointing", "autocast", "loss"):
        changed = getattr(named, field) != getattr(bare, field)
        assert not changed or field in listed


def test_an_unknown_framework_is_an_error_with_the_closest() -> None:
    with pytest.raises(UnknownName) as caught:
        ask(model="7B", framework="litgtp")
    assert "litgpt" in str(caught.value)


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        ({"framework": "litgpt", "method": "dora", "model": "7B"}, Unsupported),
        ({"framework": "torchtune", "method": "ia3", "model": "7B"}, Unsupported),
        ({"framework": "litgpt", "model": "mistralai/Mixtral-8x7B-v0.1"}, Unsupported),
        ({"framework": "torchtune", "model": "deepseek-ai/DeepSeek-V2-Lite"}, Unsupported),
        ({"framework": "litgpt", "method": "lora", "objective": "dpo", "model": "7B"}, Unsupported),
        ({"variant": "v2", "method": "llama_adapter", "model": "7B"}, Contradiction),
    ],
)
def test_what_has_no_estimate_is_refused(wish: Document, kind: type[EstimatorError]) -> None:
    with pytest.raises(kind):
        ask(**wish)


@pytest.mark.parametrize(
    ("wish", "defaults"),
    [
        (
            {"model": "mistralai/Mixtral-8x7B-v0.1", "method": "lora"},
            {"checkpointing": "unsloth", "loss": "fused_ce", "optimizer": "adamw_8bit"},
        ),
        (
            {"model": "7B"},
            {"checkpointing": "unsloth", "loss": "fused_ce", "optimizer": "adamw_8bit"},
        ),
    ],
)
def test_unsloth_without_kernels_counts_as_transformers_and_says_so(
    wish: Document, defaults: Document
) -> None:
    found, plain = ask(framework="unsloth", **wish), ask(**wish, **defaults)
    assert any("transformers' modules" in one for one in found.setup.warnings)
    assert found.estimate.peak.bytes == plain.estimate.peak.bytes


def test_nothing_named_is_transformers() -> None:
    for framework in ("transformers", "trl", "Hugging Face"):
        assert ask(model="7B", method="lora", framework=framework).estimate == (
            ask(model="7B", method="lora").estimate
        )


def test_litgpt_ties_nothing_and_packs_its_head() -> None:
    held = setup_of(model=MODELS[0], method="qlora", framework="litgpt", weights="nf4")
    assert not held.shape.architecture.tied
    assert held.numbers.head == held.numbers.linear
    linears = sum(t.parameters for t in held.shape.architecture.tensors if t.rows > 1)
    assert linears == 973_078_528 + 2 * 128_256 * 2_048  # of its blocks, embedding and head


def test_an_earlier_step_holds_inputs_of_packed_linears_only_if_it_was_as_long() -> None:
    wish = {"model": MODELS[1], "method": "qlora", "weights": "nf4"}
    first, later = (ask(framework=name, **wish).estimate for name in ("litgpt-2023", "litgpt"))
    keys = {line.key for moment in later.moments for line in moment.lines}
    assert "earlier_inputs" in keys
    assert "earlier_inputs" not in {line.key for m in first.moments for line in m.lines}
    assert later.low_bytes < first.peak.bytes < later.peak.bytes


def test_a_compiled_block_keeps_less_than_a_plain_one() -> None:
    wish = {"framework": "torchtune", "model": MODELS[1], "checkpointing": "none"}
    plain, compiled = ask(**wish).estimate, ask(**wish, compile=True).estimate
    assert compiled.peak.bytes < plain.peak.bytes <= compiled.high_bytes


def test_unsloth_repeats_keys_where_flash_attention_does_not_run() -> None:
    wish = {"framework": "unsloth", "model": "8B", "method": "qlora", "checkpointing": "none"}
    old = ask(**wish, gpus=[{"id": "t4"}]).estimate.peak.bytes
    new = ask(**wish, gpus=[{"id": "rtx-4090"}]).estimate.peak.bytes
    assert old > new
