"""The estimate against runs that others measured and published, like with like."""

import json
from pathlib import Path

import pytest

from tests.accuracy import measured
from tests.accuracy.measured import Score, by_category, scores_of, summarise
from tests.accuracy.truth import read_rows

ROWS = read_rows(Path(__file__).with_name("measured.jsonl"))
MULTI = "_multi"  # training on many cards
PARTS = ("infer_gguf_file_size", "infer_component_other")
PEAKS = ("infer_16bit", "infer_16bit_long", "infer_quant", "infer_quant_long")
TRAINING = ("train_full_1gpu", "train_lora_peft_1gpu", "train_qlora_1gpu")


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    found, _ = scores_of([row for row in ROWS if not row["category"].endswith(MULTI)])
    return found


@pytest.fixture(scope="module")
def spread() -> list[Score]:
    """Rows of many cards, trained and served."""
    many = [
        row
        for row in ROWS
        if row["category"].endswith(MULTI) or (row["settings"].get("world") or 1) > 1
    ]
    return scores_of(many)[0]


def of(scores: list[Score], *categories: str) -> list[Score]:
    return [one for one in scores if one.category in categories]


def test_every_row_of_one_card_is_expressed(scores: list[Score]) -> None:
    assert {one.id: one.problem for one in scores if one.problem} == {}


def test_weights_and_files_are_met(scores: list[Score]) -> None:
    assert summarise(of(scores, *PARTS)).median <= 1


def test_caches_are_met(scores: list[Score]) -> None:
    assert summarise(of(scores, "infer_component_kv")).median <= 2


@pytest.mark.parametrize("category", PEAKS)
def test_peaks_of_inference_are_met(scores: list[Score], category: str) -> None:
    summary = summarise(of(scores, category))
    assert summary.median <= 4
    assert summary.p90 <= 12


def test_totals_of_llama_cpp_are_met(scores: list[Score]) -> None:
    assert summarise(of(scores, "infer_gguf")).median <= 4


@pytest.mark.parametrize("category", TRAINING)
def test_peaks_of_training_are_met(scores: list[Score], category: str) -> None:
    summary = summarise(of(scores, category))
    assert summary.median <= 6
    assert summary.p90 <= 15


def test_many_cards_are_met(spread: list[Score]) -> None:
    summary = summarise(spread)
    assert summary.rows >= 90
    assert summary.expressed >= 95
    assert summary.median <= 7
    assert summary.p90 <= 18
    assert summary.inside_range >= 88


def test_ranges_are_honest_and_narrow(scores: list[Score]) -> None:
    summary = summarise(scores)
    assert summary.inside_range >= 90
    assert summary.above_high <= 5
    assert summary.width_median <= 12
    assert summary.width_p90 <= 25


def test_no_source_is_off_as_a_whole(scores: list[Score]) -> None:
    """A bias of one source is a mechanism that is missing, not noise."""
    sources = {row["id"]: row["source_group"] for row in ROWS}
    errors: dict[str, list[float]] = {}
    for one in scores:
        errors.setdefault(sources[one.id], []).append(one.error)
    many = {name: found for name, found in errors.items() if len(found) >= 5}
    medians = {name: sorted(found)[len(found) // 2] for name, found in many.items()}
    assert {name: off for name, off in medians.items() if abs(off) > 0.03} == {}


def test_the_last_line_has_these_figures() -> None:
    rows = [row for row in ROWS if row["category"] == "infer_16bit"][:3]
    *_, last = measured.report(rows, worst=1)
    assert last.startswith("overall n=3 skipped=0 expressed=100.0% median=")
    names = [part.partition("=")[0] for part in last.split()[1:]]
    assert names == [
        *("n", "skipped", "expressed", "median", "p90", "inside_range", "above_high"),
        *("width_median", "width_p90"),
    ]


def test_what_is_not_expressed_is_wrong_and_outside() -> None:
    row = dict(ROWS[0]) | {"settings": dict(ROWS[0]["settings"]) | {"model": "no/such-model"}}
    found, skipped = scores_of([row])
    assert skipped == 0
    assert found[0].problem
    assert found[0].error == 1
    assert not found[0].inside
    assert summarise(found).above_high == 100


def test_a_row_that_is_not_scorable_is_skipped() -> None:
    row = dict(ROWS[0]) | {"settings": dict(ROWS[0]["settings"]) | {"scorable": False}}
    found, skipped = scores_of([row])
    assert (found, skipped) == ([], 1)


def test_rows_are_written_with_their_requests() -> None:
    found, _ = scores_of(ROWS[:2])
    lines = [json.loads(line) for line in measured.written(found).splitlines()]
    assert [line["id"] for line in lines] == [row["id"] for row in ROWS[:2]]
    assert {"request", "estimate", "low", "high", "truth", "error"} <= set(lines[0])
    assert set(by_category(found)) == {row["category"] for row in ROWS[:2]}
