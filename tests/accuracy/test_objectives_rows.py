"""Objectives and losses against steps that were counted as their trainers run them."""

from pathlib import Path

import pytest

from tests.accuracy.counting.settings import Settings
from tests.accuracy.truth import Score, by_recipe, read_rows, score, summarise

HERE = Path(__file__).parent
ROWS = read_rows(HERE / "objectives.jsonl")
DPO = [row for row in read_rows(HERE / "counted.jsonl") if row["kind"] == "dpo"]
LEAST = {  # how many rows of each kind there are at least
    **dict.fromkeys(("reward", "grpo", "ppo", "distill", "dpo_chunked"), 3),
    **dict.fromkeys(("stock_4", "fused_ce", "liger", "chunked", "cce", "outputs_kept"), 2),
    "softcap": 4,
    "layer_norm": 2,
    "accumulated": 3,
}


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in ROWS]


def test_there_are_enough_rows_of_each_kind() -> None:
    counts = {kind: sum(row["kind"] == kind for row in ROWS) for kind in LEAST}
    assert {row["kind"] for row in ROWS} == set(LEAST)
    assert {kind: n for kind, n in counts.items() if n < LEAST[kind]} == {}
    assert len({row["model"] for row in ROWS}) >= 3
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_rows_can_be_counted_again_and_are_in_order() -> None:
    for row in ROWS:
        assert Settings.of(row).batch == row["batch"]
        assert row["weights_bytes"] <= row["before_step"] <= row["after_forward"], row["id"]
        assert row["after_forward"] <= row["forward_peak"] <= row["fwd_bwd_peak"], row["id"]
        assert row["before_step"] <= row["after_backward"] <= row["optimizer_peak"], row["id"]
        assert row["peak"] == max(row["fwd_bwd_peak"], row["optimizer_peak"]), row["id"]


def test_every_row_is_expressed_and_counted_exactly(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.problem] == []
    assert [s.id for s in scores if not s.parameters_exact] == []


def test_peaks_and_moments_are_met(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.median <= 1
    assert summary.worst <= 4
    assert abs(summary.bias) <= 0.5
    assert summary.peak_moment >= 95


def test_no_kind_of_row_is_off_as_a_whole(scores: list[Score]) -> None:
    medians = {name: summarise(group).median for name, group in by_recipe(scores).items()}
    assert {name: off for name, off in medians.items() if off > 1} == {}


@pytest.mark.parametrize(
    ("name", "most"), [("before_step", 0.001), ("after_forward", 0.01), ("after_backward", 0.01)]
)
def test_resting_figures_are_met(scores: list[Score], name: str, most: float) -> None:
    assert [s.id for s in scores if abs(s.resting[name]) > most] == []


def test_truth_lies_below_the_high_end(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.truth > s.high] == []


def test_preference_rows_are_met() -> None:
    found = [score(row) for row in DPO]
    assert [s.id for s in found if s.problem] == []
    summary = summarise(found)
    assert summary.median <= 1
    assert summary.worst <= 3
    assert summary.peak_moment == 100
