"""Advice, applied, fits; none smaller was passed over; and none goes further than it must."""

from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import (
    PRICES,
    Advice,
    EstimatorError,
    Verdict,
    Way,
    advise,
    advise_on,
    answer,
    parse_request,
)
from estimator.changes import Change
from estimator.combining import MOST, TOGETHER, cost
from tests.estimator.advised import (
    CATALOG,
    Question,
    advised,
    answered,
    changed,
    every_change,
    grid,
    holds,
    named,
    smallest,
)

GRID = {named(question): question for question in grid()}
FEWEST_REQUESTS = 60  # of the grid that do not fit, and something would make them
TRAINS = "Qwen/Qwen2.5-7B"


def keys(advice: Advice) -> list[tuple[str, ...]]:
    return [tuple(sorted(step.key for step in way.steps)) for way in advice.ways]


@cache
def of_grid(name: str) -> Advice | None:
    """Advice on a question of the grid; several tests look at it."""
    return advised(GRID[name])


def on(card: str, count: int = 1, **fields: object) -> Question:
    question: Question = {"task": "train", "model": TRAINS}
    question["gpus"] = [{"id": card, "count": count}]
    return question | fields


@pytest.mark.parametrize("name", GRID)
def test_each_advice_fits_and_none_smaller_was_passed_over(name: str) -> None:
    found = answered(GRID[name])
    advice = of_grid(name)
    if advice is None:
        assert holds(found.request)
        return
    for way in advice.ways:
        assert holds(way.request)
        assert way.verdict is Verdict.FITS
        assert way.peak_bytes == answer(way.request, CATALOG).estimate.peak.bytes
        assert way.saved_bytes == found.estimate.peak.bytes - way.peak_bytes
    changes = every_change(found)
    sizes = {change.key: change.parts for change in changes}
    smaller = smallest(found, changes)
    if not advice.ways:
        assert not smaller
        return
    least = sum(sizes[key] for key in keys(advice)[0])
    if least > TOGETHER:
        assert not smaller
        return
    as_small = [one for one in keys(advice) if sum(sizes[key] for key in one) == least]
    assert as_small[0] == smaller[0]
    assert set(as_small) <= set(smaller)


def test_the_grid_is_large_enough() -> None:
    with_ways = [name for name in GRID if _ways(name)]
    assert len(with_ways) >= FEWEST_REQUESTS
    assert {len(way.steps) for name in with_ways for way in _ways(name)} >= {1, 2, 3}


def _ways(name: str) -> tuple[Way, ...]:
    advice = of_grid(name)
    return advice.ways if advice else ()


@pytest.mark.parametrize("name", list(GRID)[::3])
def test_no_change_goes_further_than_it_has_to(name: str) -> None:
    found = answered(GRID[name])
    every = {change.key: change for change in every_change(found)}
    for way in _ways(name):
        taken = [(every[step.key], _step_of(every[step.key], way.fields)) for step in way.steps]
        for place, (change, step) in enumerate(taken):
            if change.scanned or not step:
                continue
            milder = [*taken[:place], (change, step - 1), *taken[place + 1 :]]
            assert not holds(changed(found.request, milder)), change.key


@pytest.mark.parametrize("degrees", [{"tp": 4}, {"pp": 4}, {"cp": 4}, {"tp": 2, "pp": 2}])
@pytest.mark.parametrize("count", [1, 4])
def test_cards_that_divide_the_work_may_hold_shards_instead(degrees: Question, count: int) -> None:
    question = on("24GB", count, model="70B", method="lora", **degrees)
    advice = advise(parse_request(question), CATALOG)
    assert advice is not None
    assert ("sharded_offloaded",) in keys(advice)
    way = next(way for way in advice.ways if len(way.steps) == 1)
    assert holds(way.request)
    assert way.request.tp is None
    assert answer(way.request, CATALOG).setup.world == 4


def _step_of(change: Change, fields: Mapping[str, object]) -> int:
    """Which of its strengths was taken; engines may have their own name for a cache's type."""
    found = (
        step
        for step in range(change.steps)
        if all(fields[name] == value for name, value in change.at(step).items() if name != "kv")
    )
    return next(found)


@pytest.mark.parametrize("name", GRID)
def test_the_cheapest_comes_first_and_no_more_than_few_are_said(name: str) -> None:
    order, ways = list(PRICES), _ways(name)
    every = {change.key: change for change in every_change(answered(GRID[name]))}
    assert len(ways) <= MOST + 1
    costs = [cost(every[step.key] for step in way.steps) for way in ways]
    assert costs == sorted(costs)
    for way in ways:
        places = [order.index(step.key) for step in way.steps]
        assert places == sorted(places)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from([row.id for row in CATALOG.models.rows]),
    st.sampled_from([row.id for row in CATALOG.gpus.rows]),
    st.sampled_from((1, 2, 8)),
    st.sampled_from(("full", "lora", "qlora", "dora", "galore", "vera", None)),
)
def test_any_model_on_any_card_gets_advice_that_fits_or_none(
    model: str, card: str, count: int, method: str | None
) -> None:
    question: Question = {"model": model, "gpus": [{"id": card, "count": count}]}
    question |= {"task": "train", "method": method} if method else {"task": "infer"}
    try:
        found = answered(question)
    except EstimatorError:
        return
    advice = advise(found.request, CATALOG)
    assert advice is None or all(holds(way.request) for way in advice.ways)
    assert advice is None or bool(advice.ways) != bool(advice.closest)


def test_what_fits_gets_no_advice() -> None:
    assert advised(on("h100-sxm5-80gb", method="qlora")) is None


def test_what_costs_nothing_is_said_first() -> None:
    advice = advised(on("rtx-3090", method="qlora", batch=2, seq=4096))
    assert advice is not None
    assert keys(advice)[0] == ("fused_loss",)


def test_a_smaller_batch_keeps_the_effective_batch() -> None:
    advice = advised(on("rtx-3090", method="qlora", batch=6, seq=1024, accumulation=2, loss="cce"))
    assert advice is None or all(
        way.fields["batch"] * way.fields["accumulation"] == 12
        for way in advice.ways
        if "batch" in way.fields
    )
    asked = on("rtx-3060-12gb", method="qlora", batch=6, accumulation=2, loss="cce", seq=4096)
    batches = [way.fields for way in _of(asked) if "batch" in way.fields]
    assert batches
    assert all(fields["batch"] * fields["accumulation"] == 12 for fields in batches)


def _of(question: Question) -> tuple[Way, ...]:
    advice = advised(question)
    return advice.ways if advice else ()


def test_where_nothing_does_it_is_said_how_much_is_missing() -> None:
    advice = advised(on("t4", model="meta-llama/Llama-3.1-405B", method="full"))
    assert advice is not None
    assert advice.ways == ()
    assert advice.closest is not None
    after = answer(advice.closest.request, CATALOG)
    assert advice.missing_bytes == after.estimate.high_bytes - after.cards[0].usable_bytes > 0
    assert advice.holder is not None
    assert advice.holder.verdict is Verdict.FITS


def test_without_a_card_it_is_for_the_next_smaller_size() -> None:
    question = {"task": "train", "model": "7B", "method": "lora"}
    advice = advised(question)
    assert advice is not None
    assert not advice.asked
    fits = {card.id: card.verdict for card in answered(question).cards}
    assert fits[advice.card.id] is not Verdict.FITS
    assert all(way.request.gpus[0].id == advice.card.id for way in advice.ways)
    assert all(holds(way.request) for way in advice.ways)


def test_what_was_asked_as_the_most_that_fits_gets_none() -> None:
    question = {"task": "infer", "model": "8B", "find": "context", "gpus": [{"id": "rtx-3090"}]}
    assert advised(question) is None


def test_a_card_of_two_kinds_is_too_small_for_both() -> None:
    cards = [{"id": "rtx-3090", "count": 1}, {"id": "rtx-4060", "count": 1}]
    ways = _of({"task": "infer", "model": "70B", "gpus": cards})
    for way in ways:
        verdicts = {c.verdict for c in answer(way.request, CATALOG).cards if c.asked}
        assert verdicts == {Verdict.FITS}


def test_a_cache_is_named_as_the_engine_names_it() -> None:
    ways = _of(
        {
            "task": "infer",
            "model": "meta-llama/Llama-3.1-8B",
            "context": 131072,
            "gpus": [{"id": "rtx-4080"}],
        }
    )
    named_so = [way.fields for way in ways if "kv" in way.fields]
    assert named_so
    for fields in named_so:
        assert str(fields["weights"]).startswith("gguf:")
        assert fields["kv"] == "Q8_0"


def test_a_prompt_that_is_named_stays_in_the_context() -> None:
    question = {"task": "infer", "model": "8B", "prompt": 30000, "context": 32768, "users": 2}
    for way in _of(question | {"gpus": [{"id": "class-16gb"}]}):
        assert way.fields.get("context", 32768) >= 30000


@pytest.mark.parametrize(
    "hostile",
    [
        {"task": "train", "model": "8B", "method": "lora", "batch": 65536, "seq": 128_000_000},
        {"task": "train", "model": "0.5B", "method": "full", "batch": 65536, "seq": 512},
        {"task": "train", "model": "8B", "method": "lora", "rank": 65536},
        {"task": "infer", "model": "8B", "context": 128_000_000, "users": 1},
        {"task": "infer", "model": "8B", "context": 1, "users": 65536, "engine": "vllm"},
        {"task": "infer", "model": "70B", "weights": "gguf:Q4_K_M", "gpu_layers": 1_000_000},
        {"task": "train", "model": "8B", "method": "lora", "batch": 65521, "seq": 8},
    ],
)
def test_hostile_numbers_end(hostile: Question) -> None:
    try:
        advice = advised(hostile | {"gpus": [{"id": "t4"}]})
    except EstimatorError:
        return
    assert advice is None or all(holds(way.request) for way in advice.ways)


def test_what_has_no_answer_has_no_advice() -> None:
    with pytest.raises(EstimatorError):
        advise(
            parse_request({"task": "train", "model": "7B", "method": "full", "rank": 8}), CATALOG
        )


def test_the_document_says_what_changes() -> None:
    advice = advised(on("rtx-4090", method="full"))
    assert advice is not None
    document = advice.document()
    assert document["card"] == "rtx-4090"
    assert document["ways"][0]["fields"] == {"method": "lora"}
    assert document["ways"][0]["verdict"] == "fits"


@pytest.mark.parametrize("large", ["mi300x", "h200"])
def test_of_unequal_cards_what_is_saved_is_of_the_one_that_decides(large: str) -> None:
    cards = [{"id": "class-4gb", "count": 3}, {"id": large, "count": 2}]
    found = answered({"task": "infer", "model": "Qwen/Qwen2.5-7B", "gpus": cards})
    advice = advise_on(found, CATALOG)
    assert advice is not None
    assert advice.card.id == "class-4gb"
    for way in advice.ways:
        after = {card.id: card for card in answer(way.request, CATALOG).cards}
        assert way.peak_bytes == after["class-4gb"].needed_bytes
        assert way.saved_bytes == advice.card.needed_bytes - way.peak_bytes > 0
