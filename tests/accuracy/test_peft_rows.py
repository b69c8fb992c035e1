"""The estimate of every method of PEFT, of DoRA and of saved modules, against counted steps."""

from pathlib import Path
from statistics import median

import pytest

from tests.accuracy.counting.settings import Settings
from tests.accuracy.counting.shapes import config_numbers
from tests.accuracy.truth import Score, by_recipe, read_rows, score, summarise

HERE = Path(__file__).parent
PEFT = read_rows(HERE / "peft.jsonl")
LORAS = [r for r in read_rows(HERE / "counted.jsonl") if r["kind"] in ("dora", "modules_to_save")]
METHODS = {
    *("rslora", "dora", "lora_fa", "adalora", "vera", "ia3", "loha", "lokr", "oft", "boft"),
    *("prompt", "ptuning", "prefix", "ln_tuning", "llama_adapter"),
}


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(row) for row in PEFT]


def test_every_method_has_rows_of_two_models_at_least() -> None:
    models: dict[str, set[str]] = {}
    for row in PEFT:
        models.setdefault(row["method"], set()).add(row["model"])
    assert set(models) == METHODS
    assert {method for method, found in models.items() if len(found) < 2} == set()


def test_every_row_can_be_counted_again() -> None:
    assert len({row["id"] for row in PEFT}) == len(PEFT)
    for row in PEFT:
        settings = Settings.of(row)
        assert config_numbers(settings.model, settings.layers)


def test_what_is_trained_is_exact(scores: list[Score]) -> None:
    assert [(s.id, s.problem) for s in scores if s.problem] == []
    assert [s.id for s in scores if not s.parameters_exact] == []


def test_peaks_are_met(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.median <= 0.3
    assert summary.p95 <= 1.5
    assert summary.worst <= 3
    assert summary.peak_moment >= 90


def test_no_method_is_off_as_a_whole(scores: list[Score]) -> None:
    medians = {name: summarise(group).median for name, group in by_recipe(scores).items()}
    assert {name: off for name, off in medians.items() if off > 1} == {}


@pytest.mark.parametrize("name", ["before_step", "after_backward"])
def test_resting_figures_are_met(scores: list[Score], name: str) -> None:
    assert [s.id for s in scores if abs(s.resting[name]) > 0.01] == []


def test_after_forward_is_met_at_the_median(scores: list[Score]) -> None:
    assert median(abs(s.resting["after_forward"]) for s in scores) <= 0.005


def test_truth_lies_below_the_high_end(scores: list[Score]) -> None:
    assert [s.id for s in scores if s.truth > s.high] == []


@pytest.mark.parametrize("kind", ["dora", "modules_to_save"])
def test_dora_and_saved_modules_are_met(kind: str) -> None:
    found = [score(row) for row in LORAS if row["kind"] == kind]
    assert [s.id for s in found if s.problem or not s.parameters_exact] == []
    summary = summarise(found)
    assert summary.median <= 1
    assert summary.worst <= 3
