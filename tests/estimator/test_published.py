"""Checkpoints that are shaped unlike their models, and files of known bytes."""

from typing import Any

import pytest

from estimator import answer_document, load_catalog
from estimator.memory.weights import host_bytes, weights
from estimator.resolve import numbers_of
from estimator.rows import File
from tests.estimator.questions import serve

CATALOG = load_catalog()


def loaded(**fields: object) -> dict[str, Any]:
    answered = answer_document(serve(**fields), CATALOG)
    assert answered["error"] is None, answered["error"]
    return answered


def test_an_awq_file_has_a_tied_head_twice_until_it_is_tied() -> None:
    # Qwen2.5-0.5B: 151,936 × 896 once more, in 16 bits
    question = {"model": "Qwen/Qwen2.5-0.5B", "weights": "awq4", "engine": "transformers"}
    named = loaded(**question, engine_version="4.46.0")
    load, *later = ({one["key"]: one["bytes"] for one in m["lines"]} for m in named["moments"])
    assert load["untied_head"] == 151_936 * 896 * 2
    assert all("untied_head" not in lines for lines in later)
    newest = loaded(**question)["moments"][0]["lines"]
    assert "untied_head" not in {line["key"] for line in newest}


def test_a_checkpoint_that_is_filled_up() -> None:
    # Qwen2.5-72B: 80 layers, three matrices of 8192, 128 wider: in 4 bits with groups of 128
    named = loaded(model="Qwen/Qwen2.5-72B", weights="awq4")
    lines = {line["key"]: line for line in named["moments"][0]["lines"]}
    plain = 80 * (2 * 8192**2 + 2 * 1024 * 8192 + 3 * 29_568 * 8192)
    filled = plain + 80 * 3 * 128 * 8192
    assert lines["weights_awq4"]["bytes"] == filled * 4 // 8 + filled // 128 * 20 // 8
    assert any("29,696" in entry["why"] for entry in named["assumed"])


@pytest.mark.parametrize("row", CATALOG.files, ids=[row.id for row in CATALOG.files])
def test_a_file_of_known_bytes_is_what_is_counted(row: File) -> None:
    """And the nearest recipe's range, which another model gets, spans it."""
    named = loaded(model=row.model, weights=row.format)
    base = CATALOG.formats.find(row.format)
    shape = CATALOG.models.find(row.model).architecture
    numbers = numbers_of(base, None, CATALOG.dtypes.find("fp16"), CATALOG)
    assert named["moments"][0]["bytes"] == row.bytes - host_bytes(shape, numbers)
    lines = weights(shape, numbers)
    low = sum(line.low_bytes or 0 for line in lines)
    high = sum(line.high_bytes or 0 for line in lines)
    assert low <= row.bytes <= high


def test_a_group_that_was_not_named_is_listed() -> None:
    named = loaded(weights="gptq4")
    assert ("group_size", "128") in {(one["field"], one["value"]) for one in named["assumed"]}
    fine = loaded(weights="gptq4", group_size=32)
    assert fine["moments"][0]["bytes"] > named["moments"][0]["bytes"]
    assert (
        loaded(weights="gptq4", group_size=-1)["moments"][0]["bytes"]
        < (named["moments"][0]["bytes"])
    )
    assert any("group_size" in text for text in loaded(weights="bf16", group_size=32)["warnings"])
