"""What forward and backward of a block rise to, where the loss is nothing: counted rows."""

from pathlib import Path

import pytest

from tests.accuracy.truth import Score, by_recipe, read_rows, score, summarise

ROWS = read_rows(Path(__file__).with_name("blocks.jsonl"))


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in ROWS]


def test_every_row_is_expressed_and_counted_exactly(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.problem] == []
    assert [s.id for s in scores if not s.parameters_exact] == []


def test_peaks_are_met(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.median <= 1
    assert summary.p95 <= 3
    assert summary.worst <= 3
    assert summary.peak_moment >= 95


def test_no_kind_of_row_is_off_as_a_whole(scores: list[Score]) -> None:
    medians = {name: summarise(group).median for name, group in by_recipe(scores).items()}
    assert {name: off for name, off in medians.items() if off > 2.5} == {}
