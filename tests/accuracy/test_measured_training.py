"""A published training row becomes the question that asks for what it measured."""

from typing import Any

from estimator import answer, load_catalog, parse_request
from tests.accuracy.measured_training import training_request

SETTINGS: dict[str, Any] = {
    "task": "train",
    "model": "microsoft/phi-1_5",
    "model_source": "facts",
    "method": "lora",
    "rank": 8,
    "targets": "qv",
    "weights": "bf16",
    "master": "none",
    "optimizer": "adamw",
    "batch": 1,
    "seq": 1044,
    "loss": "chunked",
    "framework": "litgpt",
    "framework_version": "8641822",
    "seq_is": "exact",
    "scorable": True,
}


def request(**changes: object) -> dict[str, Any]:
    return training_request({"settings": SETTINGS | changes, "arch": ARCH})


ARCH = {
    "hidden": 512,
    "layers": 4,
    "heads": 8,
    "kv_heads": 2,
    "head_dim": 64,
    "intermediate": 1024,
    "vocab": 32_000,
    "tied": False,
}


def test_a_version_that_runs_the_longest_sample_first_is_a_framework_of_its_own() -> None:
    assert request()["framework"] == "litgpt-2023"
    assert request(framework_version="2024")["framework"] == "litgpt"
    assert request(framework=None)["framework"] == "transformers"
    assert request(framework="a script")["framework"] == "transformers"


def test_words_that_only_rows_have_are_left_out() -> None:
    assert "loss" not in request(loss="other")
    assert "states" not in request(states="int8")
    assert "seq_is" not in request()
    assert "master" not in request()  # adapters have none
    assert "rank" not in request(method="full")
    assert "variant" not in request(variant="eva")
    assert request(method="llama_adapter", variant="v2")["variant"] == "v2"


def test_numbers_of_a_row_stand_in_for_a_model_that_has_no_name() -> None:
    found = request(model_source="arch", framework="transformers", targets="all-linear")
    assert found["architecture"]["num_key_value_heads"] == ARCH["kv_heads"]
    assert answer(parse_request(found), load_catalog()).estimate.peak.bytes > 0
