"""The estimate against counted steps over ranks: FSDP2 in its ways, with adapters and packed."""

from pathlib import Path

import pytest

from tests.accuracy.truth import Score, read_rows, score, summarise

ROWS = read_rows(Path(__file__).with_name("sharded.jsonl"))
LEAST_ROWS = 40
WAYS = (  # that were counted, by how their rows are called
    *("hybrid", "hybrid_lora", "lora_all", "qlora", "large_world", "odd_world", "accumulation"),
    *("lora_accumulation", "zero2_gc", "zero2_lora", "moe", "tied", "eager", "selective"),
    *("saved_modules", "autocast_fp32", "norms_in_fp32", "hybrid_accumulation"),
)


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in ROWS]


def test_there_are_rows_of_every_way() -> None:
    assert len(ROWS) >= LEAST_ROWS
    assert set(WAYS) <= {row["recipe"] for row in ROWS}


def test_every_row_is_expressed_and_counted_exactly(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.problem] == []
    assert [s.id for s in scores if not s.parameters_exact] == []


def test_peaks_are_met(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.median <= 0.2
    assert summary.p95 <= 2
    assert summary.worst <= 5
    assert abs(summary.bias) <= 0.5
    assert summary.peak_moment >= 85


@pytest.mark.parametrize("name", ["before_step", "after_backward"])
def test_resting_figures_are_met(scores: list[Score], name: str) -> None:
    """A world that a dimension does not divide fills its flat gradients up."""
    assert [s.id for s in scores if abs(s.resting[name]) > 0.03] == []
