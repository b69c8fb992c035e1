"""How much is asked to find advice, and what is not asked twice."""

import pytest

import estimator.trying
from estimator import Estimate, advise_on
from estimator.advise import _changes
from estimator.changes import among, once
from estimator.estimate import estimate
from estimator.setup import Setup
from estimator.trying import Judge, merged
from tests.estimator.advised import CATALOG, advised, answered, grid, named

MOST_ESTIMATES = 400  # of one advice: a quarter of a second on a common server core
GRID = {named(question): question for question in grid()}
LORA = GRID["train Qwen/Qwen2.5-14B lora dpo 2 2xrtx-3090"]


@pytest.mark.parametrize("name", list(GRID)[::4])
def test_it_takes_a_bounded_number_of_estimates(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    found = answered(GRID[name])

    def counted(setup: Setup) -> Estimate:
        nonlocal asked
        asked += 1
        return estimate(setup)

    monkeypatch.setattr(estimator.trying, "estimate", counted)
    advise_on(found, CATALOG)
    assert asked < MOST_ESTIMATES


def test_the_same_question_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(LORA)
    judge = Judge(found.request, CATALOG)
    changes = list(judge.useful(_changes(found, CATALOG)))
    all_of_it = judge.least(changes)
    before = judge.holds(all_of_it)

    def never(setup: Setup) -> Estimate:
        raise AssertionError(setup)

    monkeypatch.setattr(estimator.trying, "estimate", never)
    assert judge.holds(all_of_it) is before
    assert judge.least(changes) == all_of_it


def test_a_change_that_saves_nothing_or_is_refused_is_not_tried_with_others() -> None:
    idle = once("flash", "attention", attention="flash")  # as it is
    refused = once("lower_rank", "rank", virtual_tokens=8)  # LoRA has none
    of_use = once("shorter_sequence", "seq", seq=1024)
    judge = Judge(answered(LORA).request, CATALOG)
    assert [one.key for one in judge.useful((idle, refused, of_use))] == [of_use.key]


def test_where_the_strongest_is_refused_the_next_is_taken() -> None:
    judge = Judge(answered(LORA).request, CATALOG)
    losses = among("fused_loss", "loss", [{"loss": "chunked"}, {"loss": "liger"}])  # DPO has one
    assert judge.strongest((losses,)) == ((losses, 0),)


def test_fields_of_several_changes_are_merged_the_dearest_last() -> None:
    found = answered(LORA)
    by_key = {change.key: change for change in _changes(found, CATALOG)}
    some = ((by_key["shorter_sequence"], 0), (by_key["smaller_batch"], 0))
    assert merged(some) == {"batch": 1, "accumulation": 2, "seq": 1792}


def test_what_everything_together_cannot_do_names_only_what_counts() -> None:
    advice = advised({"task": "train", "model": "70B", "method": "full", "gpus": [{"id": "t4"}]})
    assert advice is not None
    assert advice.closest is not None
    assert "qlora" in {step.key for step in advice.closest.steps}
    assert "lower_rank" not in {step.key for step in advice.closest.steps}


def test_of_several_strengths_the_one_that_saves_most_is_the_strongest() -> None:
    """Another format may bring another engine, which holds less of a wider one."""
    asked = {"task": "infer", "model": "8B", "weights": "fp8", "gpu_layers": 10}
    found = answered(asked | {"gpus": [{"id": "class-8gb"}]})
    judge = Judge(found.request, CATALOG)
    (change,) = [one for one in judge.useful(_changes(found, CATALOG)) if one.slot == "weights"]
    assert change.at(change.steps - 1)["weights"] == "bf16"


@pytest.mark.parametrize("weights", ["gguf:BF16", "gguf:F16"])
def test_a_tower_beside_a_file_that_is_no_recipe_has_types(weights: str) -> None:
    asked = {"task": "infer", "model": "mistralai/Mistral-Small-3.1-24B-Instruct-2503"}
    found = answered(asked | {"engine": "ollama", "weights": weights})
    assert any(line.key.startswith("tower") for line in found.estimate.peak.lines)
