"""The estimate against counted steps of every optimizer, and of every way to update."""

from pathlib import Path

import pytest

from estimator import load_catalog
from tests.accuracy.counting.settings import Settings
from tests.accuracy.counting.shapes import config_numbers
from tests.accuracy.truth import Score, by_recipe, read_rows, score, summarise

ROWS = read_rows(Path(__file__).with_name("optimizers.jsonl"))
WAYS = {"in_backward", "master", "badam", "lisa", "freeze"}
NAMES = {"adamw": "adamw_foreach"}  # the rows' name for it


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in ROWS]


def test_every_row_is_expressed_and_counted_exactly(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.problem] == []
    assert [s.id for s in scores if not s.parameters_exact] == []


def test_every_row_can_be_counted_again() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        settings = Settings.of(row)
        assert config_numbers(settings.model, settings.layers)


def test_an_optimizer_has_rows_or_says_that_it_was_derived() -> None:
    counted = {NAMES.get(row["optimizer"], row["optimizer"]) for row in ROWS}
    for row in load_catalog().optimizers.rows:
        assert (row.basis == "counted") == (row.id in counted), row.id


def test_each_kind_of_row_has_three_models(scores: list[Score]) -> None:
    kinds = {row["recipe"] for row in ROWS}
    assert kinds >= WAYS
    for kind in kinds:
        assert len({row["model"] for row in ROWS if row["recipe"] == kind}) >= 3, kind
    assert set(by_recipe(scores)) == kinds


def test_peaks_are_met(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.median <= 0.01
    assert summary.worst <= 0.1
    assert abs(summary.bias) <= 0.01


def test_the_right_moment_is_named(scores: list[Score]) -> None:
    """All but ties: two tied gradients weigh what a step of two copies of them does."""
    assert summarise(scores).peak_moment >= 95
    wrong = [s for s in scores if s.moment != s.true_moment]
    assert [s.id for s in wrong if s.true_moment != "optimizer_step"] == []


@pytest.mark.parametrize("name", ["before_step", "after_forward", "after_backward"])
def test_resting_figures_are_met(scores: list[Score], name: str) -> None:
    assert [s.id for s in scores if abs(s.resting[name]) > 0.001] == []
