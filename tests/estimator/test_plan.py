"""The plan: whatever it offers fits, and nothing smaller that was a candidate does."""

from itertools import pairwise

import pytest

from estimator import (
    Catalog,
    EstimatorError,
    GpuCount,
    Offload,
    Plan,
    Plans,
    Request,
    ServeSetup,
    Strategy,
    Verdict,
    answer,
    load_catalog,
    parse_request,
    plans,
    plans_document,
)
from estimator.plan_judging import Judge
from estimator.plan_ways import IN_ONE_BOX, MOST_PLANNED, Way, counts_of, over, ways_of
from estimator.reservation import holds

Asked = dict[str, object]
QUESTIONS: dict[str, Asked] = {
    "full": {"task": "train", "model": "70B", "method": "full"},
    "small": {"task": "train", "model": "meta-llama/Llama-3.2-1B", "method": "full"},
    "qlora": {"task": "train", "model": "70B", "method": "qlora"},
    "lora": {"task": "train", "model": "mistralai/Mixtral-8x7B-v0.1", "method": "lora"},
    "galore": {"task": "train", "model": "13B", "method": "galore"},
    "grpo": {"task": "train", "model": "7B", "method": "lora", "objective": "grpo"},
    "vllm": {"task": "infer", "model": "405B"},
    "odd heads": {"task": "infer", "model": "Qwen/Qwen2.5-32B", "users": 64},
    "experts": {"task": "infer", "model": "deepseek-ai/DeepSeek-V3"},
    "gguf": {"task": "infer", "model": "70B", "weights": "gguf:Q4_K_M", "context": 32_768},
    "transformers": {"task": "infer", "model": "70B", "engine": "transformers"},
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="module", params=QUESTIONS, ids=str)
def asked(request: pytest.FixtureRequest) -> Request:
    return parse_request(QUESTIONS[request.param])


@pytest.fixture(scope="module")
def found(asked: Request, catalog: Catalog) -> Plans:
    return plans(asked, catalog)


def verdict_of(request: Request, catalog: Catalog) -> Verdict | None:
    """Of the cards that are named; no where a server has no room; none without an estimate."""
    try:
        answered = answer(request, catalog)
    except EstimatorError:
        return None
    setup = answered.setup
    if isinstance(setup, ServeSetup) and not all(holds(setup, r) for r in answered.reservations):
        return Verdict.NO
    dealt = setup.strategy is Strategy.DEVICE_MAP
    if dealt and setup.world > setup.shape.architecture.depth:
        return None  # a card would get no layer
    (card,) = (one for one in answered.cards if one.asked)
    return card.verdict


def test_every_plan_fits(found: Plans, catalog: Catalog) -> None:
    assert found.classes
    for plan in found.classes:
        answered = answer(plan.request, catalog)
        (card,) = (one for one in answered.cards if one.asked)
        assert (card.id, card.count, card.verdict) == (plan.card, plan.count, Verdict.FITS)
        assert (card.needed_bytes, card.usable_bytes) == (plan.needed_bytes, plan.usable_bytes)
        assert plan.high_bytes == answered.estimate.high_bytes


def test_half_the_cards_do_not_do(asked: Request, found: Plans, catalog: Catalog) -> None:
    for plan in found.classes:
        half = plan.count // 2
        for way in ways_of(asked, half) if half else ():
            smaller = over(asked, plan.card, half, way)
            assert verdict_of(smaller, catalog) is not Verdict.FITS, (plan.card, half, way)


def test_no_class_that_would_do_is_passed_over(
    asked: Request, found: Plans, catalog: Catalog
) -> None:
    judge = Judge(asked, catalog)
    planned = {plan.card for plan in found.classes}
    for card in (one for one in catalog.classes.rows if one.listed and one.id not in planned):
        most = MOST_PLANNED if judge.in_one(card) > 1 else IN_ONE_BOX
        for way in ways_of(asked, most):
            assert verdict_of(over(asked, card.id, most, way), catalog) is not Verdict.FITS


def test_smaller_cards_are_never_fewer(found: Plans) -> None:
    for larger, smaller in pairwise(found.classes):
        assert larger.usable_bytes >= smaller.usable_bytes
        assert larger.count <= smaller.count


def test_the_choice_is_of_numbers(found: Plans) -> None:
    counts = [plan.count for plan in found.turning]
    assert counts == sorted(set(counts))
    for plan in found.turning:
        same = [one for one in found.classes if one.count == plan.count]
        assert plan.usable_bytes == min(one.usable_bytes for one in same)


def test_machines_hold_it(asked: Request, found: Plans, catalog: Catalog) -> None:
    providers = [one.provider for one in found.machines]
    assert len(providers) == len(set(providers)) <= 4
    for one in found.machines:
        row = catalog.instances.find(one.id)
        assert one.count == row.count * one.machines
        ways = [way for way in ways_of(asked, one.count) if way.strategy in (None, one.strategy)]
        held = [verdict_of(over(asked, row.gpu, one.count, way), catalog) for way in ways]
        assert Verdict.FITS in held


@pytest.mark.parametrize("strategy", [Strategy.FSDP, Strategy.ZERO3, Strategy.ZERO2])
@pytest.mark.parametrize("model", ["meta-llama/Llama-3.1-8B", "mistralai/Mixtral-8x7B-v0.1"])
@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_more_cards_never_need_more_each(
    strategy: Strategy, model: str, method: str, catalog: Catalog
) -> None:
    """And sharing divides what one card takes at best by their number."""
    request = parse_request({"task": "train", "model": model, "method": method})
    alone = answer(request, catalog).estimate.high_bytes
    counts = counts_of(MOST_PLANNED, 2)
    needed = [
        answer(over(request, "class-80gb", count, Way(strategy)), catalog).estimate.high_bytes
        for count in counts
    ]
    assert needed == sorted(needed, reverse=True)
    assert all(2 * many >= few for few, many in pairwise(needed))
    if method == "full":  # adapters may be held in other types where the model is sharded
        assert all(high * count >= alone for count, high in zip(counts, needed, strict=True))


@pytest.mark.parametrize("name", ["vllm", "gguf", "transformers"])
def test_more_cards_never_need_more_each_to_serve(name: str, catalog: Catalog) -> None:
    request = parse_request(QUESTIONS[name])
    needed = [
        answer(over(request, "class-80gb", count, Way()), catalog).estimate.high_bytes
        for count in counts_of(16)
    ]
    assert needed == sorted(needed, reverse=True)


# what was asked for


def of(catalog: Catalog, **asked: object) -> Plans:
    return plans(parse_request(asked), catalog)


def test_cards_that_were_named_are_shared_in_another_way(catalog: Catalog) -> None:
    cards = [{"id": "a100 80gb", "count": 8}]
    found = of(catalog, task="train", model="13B", method="full", strategy="ddp", gpus=cards)
    assert found.asked is not None
    assert (found.asked.count, found.asked.strategy) == (8, Strategy.ZERO2)
    assert found.offloaded is None


def test_else_more_of_them_are_taken(catalog: Catalog) -> None:
    cards = [{"id": "h100", "count": 8}]
    found = of(catalog, task="infer", model="deepseek-ai/DeepSeek-V3", gpus=cards)
    assert found.asked is not None
    assert (found.asked.count, found.asked.boxes) == (16, 2)


def test_or_the_host_takes_a_part(catalog: Catalog) -> None:
    cards = [{"id": "rtx 4090", "count": 2}]
    found = of(catalog, task="train", model="13B", method="full", gpus=cards)
    assert found.asked is None
    assert (found.named, found.named_most) == ("NVIDIA GeForce RTX 4090", 8)
    assert found.offloaded is not None
    assert (found.offloaded.card, found.offloaded.count) == ("rtx-4090", 2)
    assert found.offloaded.offload is not Offload.NONE
    assert {line.key for line in found.offloaded.host} >= {"master_weights", "gradients_on_host"}
    assert verdict_of(found.offloaded.request, catalog) is Verdict.FITS


def test_a_number_of_cards_is_kept(catalog: Catalog) -> None:
    found = of(catalog, task="train", model="70B", method="full", world=8)
    assert found.fixed == 8
    assert {plan.count for plan in found.classes} == {8}
    assert found.machines == ()
    none = of(catalog, task="train", model="405B", method="full", world=3)
    assert none.classes == ()


def test_unequal_cards_are_kept_together(catalog: Catalog) -> None:
    cards = [{"id": "a100 80gb", "count": 4}, {"id": "a100 40gb", "count": 4}]
    found = of(catalog, task="train", model="7B", method="full", gpus=cards)
    assert found.mixed
    assert found.asked is not None
    assert found.asked.request.gpus == (
        GpuCount(id="a100 80gb", count=4),
        GpuCount(id="a100 40gb", count=4),
    )
    assert found.asked.usable_bytes < 40 * 2**30
    fits = answer(found.asked.request, catalog).cards
    assert all(one.verdict is Verdict.FITS for one in fits if one.asked)


def test_a_strategy_that_was_named_comes_first(catalog: Catalog) -> None:
    request = parse_request({"task": "train", "model": "7B", "method": "full", "strategy": "zero3"})
    shared = [plan for plan in plans(request, catalog).classes if plan.count > 1]
    assert Strategy.ZERO3 in {plan.strategy for plan in shared}
    for plan in shared:
        own = over(request, plan.card, plan.count, Way(Strategy.ZERO3))
        fits = verdict_of(own, catalog) is Verdict.FITS
        assert fits is (plan.strategy is Strategy.ZERO3)


def test_offload_that_was_asked_for_is_kept(catalog: Catalog) -> None:
    found = of(
        catalog,
        task="train",
        model="70B",
        method="full",
        strategy="zero3",
        offload="both",
        gpus=[{"id": "rtx 4090", "count": 2}],
    )
    assert all(plan.offload is Offload.BOTH for plan in found.classes if plan.count > 1)
    assert found.offloaded is None


def test_a_card_without_a_known_total_is_planned_with(catalog: Catalog) -> None:
    (unknown, *_) = (gpu for gpu in catalog.gpus.rows if not gpu.has_total and gpu.memory_gb == 24)
    cards = [{"id": unknown.id, "count": 1}]
    found = of(catalog, task="infer", model="70B", weights="gguf:Q4_K_M", gpus=cards)
    assert found.asked is not None
    assert found.asked.count > 1


@pytest.mark.parametrize("seq", [1024, 2560, 4096])
def test_cards_of_a_class_that_do_with_half_are_named(seq: int, catalog: Catalog) -> None:
    request = parse_request(QUESTIONS["qlora"] | {"seq": seq})
    for plan in plans(request, catalog).classes:
        half = plan.count // 2
        members = catalog.class_members(catalog.classes.find(plan.card)) if half else ()
        holding = [
            gpu.name
            for gpu in members
            for way in ways_of(request, half)
            if verdict_of(over(request, gpu.id, half, way), catalog) is Verdict.FITS
        ]
        assert list(plan.some) == list(dict.fromkeys(holding))


def test_an_engine_of_one_maker_is_planned_on_its_cards(catalog: Catalog) -> None:
    found = of(catalog, task="infer", model="405B", engine="mlx", weights="bf16")
    assert found.classes == ()
    assert found.machines == ()


def test_what_is_sought_is_left_aside(catalog: Catalog) -> None:
    cards = [{"id": "rtx 3090", "count": 1}]
    found = of(catalog, task="infer", model="8B", find="context", gpus=cards)
    assert found.classes


def test_what_is_wrong_with_the_request_is_raised(catalog: Catalog) -> None:
    with pytest.raises(EstimatorError):
        of(catalog, task="train", model="7B", gpus=[{"id": "frobnicator", "count": 1}])


def test_the_document_says_all_of_it(catalog: Catalog) -> None:
    found = of(catalog, task="train", model="70B", method="full")
    document = plans_document(found)
    assert [one["count"] for one in document["classes"]] == [one.count for one in found.classes]
    plan: Plan = found.classes[0]
    assert document["classes"][0]["sent"]["bytes"] == plan.sent.bytes if plan.sent else False
    assert len(document["machines"]) == len(found.machines) > 0
