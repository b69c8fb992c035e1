"""Plans over many cards: what is taken for what was left open, and what is no plan."""

from contextlib import suppress

import pytest

from estimator import Contradiction, EstimatorError, Unsupported, load_catalog, parse_request
from estimator.answering import answer
from estimator.errors import BadRequest
from estimator.judging import resolve
from estimator.placing import placed
from estimator.setup import TrainSetup
from estimator.words import Strategy
from tests.estimator.questions import train

H100 = {"id": "h100-sxm5-80gb"}


def setup_of(**fields: object) -> TrainSetup:
    found = resolve(parse_request(train(**fields)), load_catalog())
    assert isinstance(found, TrainSetup)
    return found


@pytest.mark.parametrize(
    ("fields", "degrees"),
    [
        ({"tp": 8, "gpus": [H100 | {"count": 16}]}, (8, 1, 1, 2)),
        ({"tp": 8}, (8, 1, 1, 1)),
        ({"tp": 2, "pp": 4, "cp": 2, "dp": 3}, (2, 4, 2, 3)),
        ({"strategy": "tp", "world": 4}, (4, 1, 1, 1)),
        ({"strategy": "pp", "world": 4}, (1, 4, 1, 1)),
        ({"strategy": "3d", "tp": 2, "pp": 2, "world": 8}, (2, 2, 1, 2)),
        ({"dp": 8}, (1, 1, 1, 8)),
        ({"world": 8, "strategy": "fsdp"}, (1, 1, 1, 8)),
        ({"tp": 8, "gpus": [H100]}, (8, 1, 1, 1)),
        ({"model": "8x7B", "ep": 8}, (1, 1, 1, 8)),
        ({"model": "8x7B", "ep": 8, "tp": 2, "pp": 2}, (2, 2, 1, 4)),
    ],
)
def test_what_is_left_of_the_cards_are_copies(
    fields: dict[str, object], degrees: tuple[int, ...]
) -> None:
    plan = setup_of(**fields).plan
    assert (plan.tp, plan.pp, plan.cp, plan.dp) == degrees


@pytest.mark.parametrize(
    ("fields", "strategy"),
    [
        ({"tp": 2}, Strategy.SINGLE),
        ({"tp": 2, "dp": 4}, Strategy.ZERO1),
        ({"tp": 2, "dp": 4, "method": "lora"}, Strategy.DDP),
        ({"pp": 2, "dp": 4, "strategy": "fsdp2"}, Strategy.FSDP2),
        ({"tp": 2, "dp": 4, "strategy": "ddp"}, Strategy.DDP),
    ],
)
def test_copies_share_as_the_programs_do(fields: dict[str, object], strategy: Strategy) -> None:
    assert setup_of(**fields).strategy is strategy


def test_tokens_between_blocks_are_divided_too_unless_adapters_read_them() -> None:
    assert setup_of(tp=2).plan.sequence
    assert not setup_of(tp=2, method="lora").plan.sequence
    assert not setup_of(tp=2, sp=False).plan.sequence
    assert "sp" in {one.field for one in setup_of(tp=2).assumed}


def test_every_default_of_a_plan_is_said() -> None:
    found = setup_of(model="mistralai/Mixtral-8x7B-v0.1", tp=2, pp=2, cp=2, ep=2, dp=2)
    assert {"sp", "strategy", "schedule", "cp", "ep"} <= {one.field for one in found.assumed}


@pytest.mark.parametrize(
    ("fields", "noted"),
    [
        ({"model": "8x7B", "tp": 2}, "ep"),
        ({"model": "Qwen/Qwen2.5-0.5B", "pp": 2}, "head"),
        ({"model": "openai-community/gpt2", "tp": 2}, "vocabulary"),
        ({"pp": 2}, "schedule"),
    ],
)
def test_what_a_model_makes_of_a_plan_is_said(fields: dict[str, object], noted: str) -> None:
    assert noted in {one.field for one in setup_of(**fields).assumed}


@pytest.mark.parametrize(
    ("fields", "blamed", "first"),
    [
        (
            {"tp": 8, "gpus": [H100 | {"count": 13}]},
            ("tp", "world", "gpus"),
            "tp 8, 16x h100-sxm5-80gb",
        ),
        ({"tp": 8, "world": 13}, ("tp", "world", "gpus"), "tp 8 world 16"),
        ({"tp": 4, "pp": 4, "world": 8}, ("tp", "pp", "world", "gpus"), "tp 4 pp 4 world 16"),
        ({"tp": 2, "dp": 3, "world": 8}, ("tp", "dp", "world", "gpus"), "tp 2 dp 4 world 8"),
        ({"dp": 16, "world": 8}, ("dp", "world", "gpus"), "dp 8 world 8"),
        ({"pp": 64}, ("pp",), "pp 22"),
        ({"tp": 3}, ("tp",), "tp 4"),
        ({"tp": 64}, ("tp",), "tp 32"),
        ({"cp": 3, "seq": 8192}, ("seq", "cp"), "seq 8196 cp 3"),
        ({"tp": 8, "seq": 2049}, ("seq", "sp"), "seq 2056"),
        ({"ep": 4}, ("ep",), "tp 4"),
        ({"model": "8x7B", "ep": 16}, ("ep",), "ep 8"),
        ({"model": "8x7B", "ep": 8, "dp": 12}, ("ep",), "ep 4"),
        ({"model": "8x7B", "ep": 2, "tp": 2, "sp": False}, ("sp", "ep"), "ep 2 sequence parallel"),
        ({"pp": 2, "dp": 2, "strategy": "zero3"}, ("strategy",), "zero1"),
        ({"pp": 2, "dp": 2, "strategy": "zero2"}, ("strategy",), "zero1"),
        ({"tp": 2, "strategy": "single"}, ("strategy",), "zero1"),
    ],
)
def test_what_is_no_plan_says_the_nearest(
    fields: dict[str, object], blamed: tuple[str, ...], first: str
) -> None:
    with pytest.raises(Contradiction) as error:
        setup_of(**fields)
    assert error.value.fields == blamed
    assert error.value.suggestions[0] == first


@pytest.mark.parametrize(
    ("fields", "blamed"),
    [
        ({"method": "qlora", "tp": 2}, "tp"),
        ({"method": "dora", "tp": 2}, "method"),
        ({"method": "galore", "pp": 2}, "method"),
        ({"objective": "dpo", "tp": 2}, "tp"),
        ({"loss": "liger", "tp": 2}, "loss"),
        ({"optimizer": "muon", "tp": 2}, "optimizer"),
        ({"checkpointing": "selective", "tp": 2}, "checkpointing"),
        ({"framework": "unsloth", "method": "lora", "pp": 2}, "framework"),
        ({"model": "state-spaces/mamba-2.8b-hf", "tp": 2}, "tp"),
        ({"model": "google-t5/t5-large", "pp": 2}, "pp"),
        ({"model": "allenai/OLMo-2-1124-7B", "tp": 2}, "tp"),
        ({"model": "8x7B", "ep": 2, "dp": 2, "strategy": "fsdp"}, "strategy"),
        ({"strategy": "device_map", "world": 2}, "strategy"),
    ],
)
def test_what_has_no_estimate_over_cards_says_so(fields: dict[str, object], blamed: str) -> None:
    with pytest.raises(Unsupported) as error:
        setup_of(**fields)
    assert error.value.field == blamed


@pytest.mark.parametrize("fields", [{"strategy": "3d", "world": 8}, {"tp": 65536, "pp": 65536}])
def test_what_is_no_number_of_cards(fields: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        setup_of(**fields)


def test_qlora_goes_over_stages() -> None:
    found = answer(parse_request(train(method="qlora", pp=4, accumulation=8)), load_catalog())
    assert found.estimate.stage == 4
    assert any("stage 4 of 4" in one and "the head" in one for one in found.warnings)


def test_sharding_over_one_card_says_that_it_changes_nothing() -> None:
    found = setup_of(tp=2, strategy="zero1")
    assert any("nothing is shared" in one for one in found.warnings)


def test_no_plan_fails_in_another_way() -> None:
    """Small degrees in every mixture: an answer, or a sentence."""
    for model in ("openai-community/gpt2", "8x7B", "Qwen/Qwen2.5-0.5B", "google/gemma-2-2b"):
        for tp in (1, 2, 3):
            for pp in (1, 2, 5):
                for ep in (1, 2):
                    with suppress(EstimatorError):
                        assert setup_of(model=model, tp=tp, pp=pp, ep=ep, dp=2).plan.dp == 2


def test_what_changes_nothing_is_said() -> None:
    assert any("`sp`" in one for one in setup_of(sp=True).warnings)
    assert not any("`sp`" in one for one in setup_of(tp=2, sp=True).warnings)


@pytest.mark.parametrize(("batches", "said"), [(1, True), (3, True), (4, False), (16, False)])
def test_a_pipeline_with_too_few_micro_batches_is_said(batches: int, said: bool) -> None:
    found = setup_of(pp=4, accumulation=batches)
    assert any("of them waiting" in one for one in found.warnings) is said


def test_told_bytes_of_the_weights_are_divided_too() -> None:
    told = 2_200_000_000
    (card,) = placed(setup_of(tp=2, weight_bytes=told))
    part = card.shape.architecture.parameters / setup_of().shape.architecture.parameters
    assert card.numbers.given_bytes == pytest.approx(told * part, abs=1)


def test_no_trainer_evaluates_a_divided_model() -> None:
    asked = train(model="meta-llama/Llama-2-7b-hf", tp=8, batch=4, seq=4096)
    assert not any(
        "Evaluating" in one for one in answer(parse_request(asked), load_catalog()).warnings
    )


@pytest.mark.parametrize("strategy", ["tp", "pp"])
def test_one_way_of_dividing_needs_a_number_of_cards(strategy: str) -> None:
    with pytest.raises(BadRequest) as error:
        setup_of(strategy=strategy)
    assert error.value.suggestions[0] == f"{strategy} 2"
    alone = setup_of(strategy=strategy, world=1)
    assert alone.strategy is Strategy.SINGLE
    assert any("divides nothing" in one for one in alone.warnings)


def test_copies_of_shards_are_fsdps() -> None:
    asked = {"task": "train", "model": "7B", "world": 8, "replicas": 2}
    found = answer(parse_request(asked), load_catalog())
    same = answer(parse_request(asked | {"strategy": "fsdp"}), load_catalog())
    assert found.estimate == same.estimate
    assert ("strategy", "fsdp") in {(one.field, one.value) for one in found.assumed}
