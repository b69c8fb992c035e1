"""Requests: every fixed word is read, and what is wrong is refused by the field's name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import BadRequest, load_catalog, parse_request
from tests.estimator.questions import FIXED, Document
from tests.estimator.words import ENGINES, OPTIMIZERS, SERVE_FIELDS, TASKS, TRAIN_FIELDS

CATALOG = load_catalog()
TRAIN: Document = {"task": "train", "model": "7B"}
SERVE: Document = {"task": "infer", "model": "7B"}
HUGE = 10**30


def pairs(fields: dict[str, Any]) -> list[tuple[str, object]]:
    return [(field, word) for field, words in fields.items() for word in words]


@pytest.mark.parametrize(("field", "word"), pairs(TRAIN_FIELDS))
def test_every_word_of_training_is_read(field: str, word: object) -> None:
    read = parse_request(TRAIN | {field: word}).model_dump(mode="json", exclude_none=True)
    assert read[field] == word


@pytest.mark.parametrize(("field", "word"), pairs(SERVE_FIELDS))
def test_every_word_of_serving_is_read(field: str, word: object) -> None:
    read = parse_request(SERVE | {field: word}).model_dump(mode="json", exclude_none=True)
    assert read[field] == word


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("model", ["Qwen/Qwen2.5-7B", "llama 3.1 8b", "7B", "8x7B", "0.5B"])
def test_models_are_named_three_ways(task: str, model: str) -> None:
    assert parse_request({"task": task, "model": model}).model == model
    config = {"hidden_size": 64}
    assert parse_request({"task": task, "architecture": config}).architecture == config


@pytest.mark.parametrize("word", OPTIMIZERS)
def test_every_optimizer_is_in_the_table(word: str) -> None:
    row = CATALOG.optimizers.find(word)
    assert word in (row.id, *row.aliases)


@pytest.mark.parametrize("word", ENGINES)
def test_every_engine_is_in_the_table(word: str) -> None:
    assert CATALOG.engines.find(word).id == word


@pytest.mark.parametrize("document", [None, [], "7B", 7, True, 1.5, [TRAIN]])
def test_a_request_is_an_object(document: object) -> None:
    with pytest.raises(BadRequest) as raised:
        parse_request(document)
    assert raised.value.field == "request"
    assert raised.value.suggestions


@pytest.mark.parametrize("task", [None, "", "Train", "serve", 1, ["train"], {"train": 1}])
def test_a_task_is_one_of_two(task: object) -> None:
    with pytest.raises(BadRequest) as raised:
        parse_request({"task": task, "model": "7B"})
    assert raised.value.field == "task"


@pytest.mark.parametrize("extra", [{}, {"model": "7B", "architecture": {}}])
def test_one_model_is_named(extra: Document) -> None:
    with pytest.raises(BadRequest, match="model"):
        parse_request({"task": "train", **extra})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("modle", "7B"),
        ("Batch", 1),
        ("users", 4),  # serving's, asked of training
        ("model", 7),
        ("model", ""),
        ("model", "x" * 129),
        ("method", "loraa"),
        ("method", 3),
        ("optimizer", ["adamw"]),
        ("checkpointing", True),
        ("strategy", "zero4"),
        ("objective", "rlhf"),
        ("offload", "disk"),
        ("master", "bf16"),
        ("packing", "maybe"),
        ("architecture", []),
        ("batch", 0),
        ("batch", -1),
        ("batch", 1.5),
        ("batch", HUGE),
        ("batch", "four"),
        ("batch", [1]),
        ("seq", 0),
        ("seq", HUGE),
        ("seq", float("nan")),
        ("seq", float("inf")),
        ("accumulation", -4),
        ("rank", 0),
        ("rank", HUGE),
        ("world", 0),
        ("world", HUGE),
        ("tp", -1),
        ("alpha", 0),
        ("alpha", float("nan")),
        ("lora_dropout", 1),
        ("lora_dropout", -0.1),
        ("lora_dropout", float("nan")),
        ("bpw", 0),
        ("bpw", 33),
        ("bpw", float("nan")),
        ("group_size", 0),
        ("rule_bytes_per_parameter", 0),
        ("rule_bytes_per_parameter", float("inf")),
        ("rule_bytes_per_parameter", float("nan")),
        ("rule_activation_bytes", -1),
        ("rule_activation_bytes", HUGE),
        ("gpus", "h100"),
        ("gpus", {"id": "h100"}),
        ("gpus", [{"id": "h100"}] * 9),
        ("mp_policy", "bf16"),
    ],
)
def test_wrong_values_name_their_field(field: str, value: object) -> None:
    with pytest.raises(BadRequest) as raised:
        parse_request(TRAIN | {field: value})
    assert raised.value.field == field
    assert raised.value.message.startswith(f"`{field}`: ")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("batch", "4"),
        ("batch", True),
        ("kbit_prepare", 1),
        ("packing", "yes"),
        ("rule_bytes_per_parameter", "16"),
        ("alpha", float("inf")),
        ("group_size", HUGE),
        ("targets", []),  # adapters on nothing
    ],
)
def test_values_that_only_resemble_the_right_type(field: str, value: object) -> None:
    """A request is strict: a text is no number, a truth no count."""
    with pytest.raises(BadRequest) as raised:
        parse_request(TRAIN | {"method": "lora", field: value})
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("inside", "field"),
    [
        ({"gpus": [{"id": "h100", "count": 0}]}, "gpus.0.count"),
        ({"gpus": [{"id": "h100"}, {"count": 2}]}, "gpus.1.id"),
        ({"gpus": [{"id": "h100", "cuont": 2}]}, "gpus.0.cuont"),
        ({"mp_policy": {"params": "bf16"}}, "mp_policy.params"),
        ({"modules_to_save": ["lm_head", 1]}, "modules_to_save.1"),
        ({"targets": [1]}, "targets.0"),
        ({"targets": {}}, "targets"),
        ({"targets": 5}, "targets"),
    ],
)
def test_wrong_values_inside_are_named_by_their_path(inside: Document, field: str) -> None:
    with pytest.raises(BadRequest) as raised:
        parse_request(TRAIN | {"method": "lora"} | inside)
    assert raised.value.field == field


def test_an_unknown_field_lists_those_that_are() -> None:
    with pytest.raises(BadRequest, match=r"checkpointing.*model.*optimizer"):
        parse_request(TRAIN | {"zz": 1})
    with pytest.raises(BadRequest, match="count, id"):
        parse_request(TRAIN | {"gpus": [{"id": "h100", "zz": 1}]})


def test_a_long_field_is_not_repeated_whole() -> None:
    with pytest.raises(BadRequest) as raised:
        parse_request(TRAIN | {"z" * 100_000: 1})
    assert len(raised.value.message) < 4000


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(document=_JSON | st.dictionaries(st.sampled_from(["task", "model", "gpus", "seq"]), _JSON))
@FIXED
def test_rubbish_is_refused(document: object) -> None:
    with pytest.raises(BadRequest):
        parse_request(document)
