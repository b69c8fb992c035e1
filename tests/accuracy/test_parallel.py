"""Estimates of one card of many against counted ones: parts of blocks, and stages of them."""

from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

from estimator import load_catalog, parse_request
from estimator.judging import resolve
from estimator.placing import placed
from estimator.setup import TrainSetup
from estimator.training import estimate_training
from tests.accuracy.truth import Row, one_card, read_rows, request_of

ROWS = read_rows(Path(__file__).with_name("parallel.jsonl"))
LEAST_ROWS = 30
RESTING = ("before_step", "after_backward")


class Score(NamedTuple):
    """A row's errors, as fractions."""

    id: str
    peak: float
    resting: dict[str, float]
    after_forward: float


def training_of(request: dict[str, Any]) -> TrainSetup:
    setup = resolve(parse_request(request), load_catalog())
    assert isinstance(setup, TrainSetup)
    return setup


def score(row: Row) -> Score:
    card = one_card(row, training_of(request_of(row)))
    found = estimate_training(card)
    resting = found.resting
    assert resting is not None
    return Score(
        row["id"],
        found.counted_peak_bytes / row["peak"] - 1,
        {name: getattr(resting, name) / row[name] - 1 for name in RESTING},
        resting.after_forward / row["after_forward"] - 1,
    )


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in ROWS]


def test_there_are_rows_of_each_kind() -> None:
    assert len(ROWS) >= LEAST_ROWS
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert sum(row.get("sp", False) for row in ROWS) >= 10
    assert sum(row.get("pp", 1) > 1 for row in ROWS) >= 10
    assert sum(row.get("method") in ("lora", "qlora") for row in ROWS) >= 8
    assert len({row["model"] for row in ROWS}) >= 8


def test_peaks_are_met(scores: list[Score]) -> None:
    errors = sorted(abs(one.peak) for one in scores)
    assert median(errors) <= 0.002
    assert errors[-(len(errors) // 10) - 1] <= 0.015
    assert errors[-1] <= 0.03


def test_repeated_heads_are_counted() -> None:
    """Over 16 cards 8 heads of keys are as 16: each card has one of its own."""
    rows = [row for row in ROWS if row["model"] == "shape/llama-3.1-8b-kv-16"]
    assert len(rows) >= 3
    for row in rows:
        asked = request_of(row) | {"model": "meta-llama/Llama-3.1-8B"}
        del asked["architecture"]
        (card,) = placed(training_of(asked))
        found = estimate_training(card).counted_peak_bytes
        assert abs(found / row["peak"] - 1) <= 0.002


def test_what_rests_is_met(scores: list[Score]) -> None:
    """But for SGD: its momentum is a copy of the whole embedding's gradient at first."""
    adam = [one for one, row in zip(scores, ROWS, strict=True) if "adam" in row["optimizer"]]
    off = {(one.id, name): e for one in adam for name, e in one.resting.items() if abs(e) > 0.001}
    assert off == {}


def test_what_waits_for_backward_is_met(scores: list[Score]) -> None:
    assert median(abs(one.after_forward) for one in scores) <= 0.001
    assert max(abs(one.after_forward) for one in scores) <= 0.02
