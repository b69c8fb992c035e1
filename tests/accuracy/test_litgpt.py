"""LitGPT's own model code under the counter's books: estimates meet its peaks.

`litgpt.jsonl` was counted by running litgpt 0.4.11's `model.py`, `lora.py`, `adapter.py` and
`adapter_v2.py` on fake tensors, with Fabric's fp32 logits and bitsandbytes 0.42's linears stood
in for. No optimizer was run, so its states are taken off the estimate. `litgpt-2023` rows are
first steps, `litgpt` rows second ones.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from estimator import Answer, answer, load_catalog, parse_request

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("litgpt.jsonl").read_text(encoding="utf-8").splitlines()
]
CATALOG = load_catalog()
OFF = 0.012  # of a peak


def answered(row: dict[str, Any]) -> Answer:
    return answer(parse_request({"task": "train"} | row["request"]), CATALOG)


def peak_without_states(found: Answer) -> int:
    """The most that tensors hold in forward and backward, without what an optimizer keeps."""
    moments = [one for one in found.estimate.moments if one.name not in ("load", "optimizer_step")]
    states = ("optimizer_",)
    return max(
        sum(line.bytes for line in one.lines if not line.key.startswith(states) and not line.book)
        for one in moments
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_the_peak_is_met(row: dict[str, Any]) -> None:
    assert peak_without_states(answered(row)) == pytest.approx(row["peak"], rel=OFF)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_what_is_trained_is_counted_to_the_last_number(row: dict[str, Any]) -> None:
    assert answered(row).estimate.parameters.trainable == row["trainable"]
