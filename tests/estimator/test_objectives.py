"""Objectives: which other models they hold, what runs at which moment, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import (
    Answer,
    BadRequest,
    Contradiction,
    EstimatorError,
    MomentName,
    Unsupported,
    answer,
    load_catalog,
    parse_request,
)
from tests.estimator.questions import FIXED, Document, train

CATALOG = load_catalog()
EIGHT = "meta-llama/Llama-3.1-8B"
H100 = [{"id": "h100", "count": 1}]


def answered(**fields: object) -> Answer:
    return answer(parse_request(train(**fields)), CATALOG)


def refused(**fields: object) -> EstimatorError:
    with pytest.raises(EstimatorError) as caught:
        answered(**fields)
    return caught.value


def lines_of(found: Answer, name: str) -> dict[str, int]:
    moment = next(m for m in found.estimate.moments if m.name == name)
    return {line.key: line.bytes for line in moment.lines}


def assumed(found: Answer) -> dict[str, str]:
    return {a.field: a.value for a in found.assumed}


@pytest.mark.parametrize(
    ("fields", "taken"),
    [
        ({"objective": "dpo", "method": "lora"}, {"reference": "adapters_off", "batch": "1"}),
        ({"objective": "dpo", "method": "full"}, {"reference": "model"}),
        ({"objective": "grpo", "method": "lora"}, {"reference": "none", "batch": "8"}),
        ({"objective": "grpo", "accumulation": 4}, {"batch": "2", "seq": "1024"}),
        ({"objective": "grpo", "new_tokens": 100, "prompt": 28}, {"engine": "transformers"}),
        ({"objective": "ppo", "method": "full"}, {"reference": "model", "new_tokens": "53"}),
        ({"objective": "ppo", "method": "lora"}, {"checkpointing": "none"}),
    ],
)
def test_defaults_are_listed(fields: dict[str, Any], taken: dict[str, str]) -> None:
    found = assumed(answered(**fields))
    assert {name: found.get(name) for name in taken} == taken


def test_a_reference_model_weighs_what_the_model_does_and_adapters_off_nothing() -> None:
    whole = answered(objective="dpo", method="full", master="none")
    assert lines_of(whole, "load")["reference_weights"] == lines_of(whole, "load")["weights"]
    off = answered(objective="dpo", method="lora")
    assert not any(key.startswith("reference") for key in lines_of(off, "load"))


def test_a_pair_is_two_sequences() -> None:
    for goal in ("dpo", "reward"):
        setup = parse_request(train(objective=goal, batch=3, seq=100))
        assert answer(setup, CATALOG).setup.tokens == 600  # type: ignore[union-attr]


def test_a_reward_model_has_one_number_for_its_words() -> None:
    found = answered(objective="reward", method="full")
    shape = found.setup.shape.architecture
    plain = answered(method="full").setup.shape.architecture
    assert shape.parameters == plain.parameters - (plain.vocabulary - 1) * plain.hidden
    assert not any("logits" in lines_of(found, m.name) for m in found.estimate.moments)


def test_ppo_trains_its_value_model_whole_beside_an_adapter() -> None:
    found = answered(objective="ppo", method="lora")
    value = answered(objective="reward", method="full").estimate.parameters.total
    assert found.estimate.parameters.trainable > value
    step = lines_of(found, MomentName.OPTIMIZER_STEP)
    assert {"value_weights", "reward_weights", "value_gradients", "hidden_states"} <= set(step)
    assert step["value_gradients"] == 2 * value


def test_completions_are_generated_before_the_step() -> None:
    found = answered(objective="grpo", method="lora", seq=1000, new_tokens=400)
    names = [m.name for m in found.estimate.moments]
    assert names[:3] == [MomentName.LOAD, MomentName.PREFILL, MomentName.DECODE]
    prefill, decode = (lines_of(found, name) for name in ("prefill", "decode"))
    assert prefill["kv_cache"] * 1000 == decode["kv_cache"] * 600
    assert "gradients" not in decode


def test_an_engine_awake_takes_its_share_of_the_card_always_and_asleep_once() -> None:
    ask = {"objective": "grpo", "method": "lora", "engine": "vllm", "gpus": H100}
    awake, asleep = answered(**ask), answered(**ask, engine_asleep=True)
    share = lines_of(awake, "backward")["engine_reservation"]
    assert lines_of(asleep, "decode")["engine_reservation"] == share
    assert "engine_reservation" not in lines_of(asleep, "backward")
    assert lines_of(asleep, "backward")["engine_runtime"] < share
    half = answered(**ask, engine_share=0.5)
    assert lines_of(half, "load")["engine_reservation"] > share


def test_other_cards_are_judged_alike_whichever_card_is_named() -> None:
    ask = {"objective": "grpo", "method": "lora", "engine": "vllm"}

    def verdicts(found: Answer) -> dict[str, tuple[str, int]]:
        return {c.id: (c.verdict, c.needed_bytes) for c in found.cards if not c.asked}

    unnamed = verdicts(answered(**ask))
    for card in ("h100-sxm5-80gb", "l40s", "rtx-4090", "a100-sxm4-40gb"):
        assert verdicts(answered(**ask, gpus=[{"id": card, "count": 1}])) == unnamed


def test_a_share_that_the_engine_cannot_start_in_is_said_and_not_counted() -> None:
    asked = {"objective": "grpo", "method": "lora", "engine": "vllm"}
    least, ask = answered(**asked), asked | {"gpus": [{"id": "l40s", "count": 1}]}
    small = answered(**ask, engine_share=0.05)
    assert lines_of(small, "decode") == lines_of(least, "decode")
    assert any("vllm_gpu_memory_utilization" in sentence for sentence in small.warnings)
    enough = answered(**ask, engine_share=0.6)
    assert "engine_reservation" in lines_of(enough, "decode")
    assert not any("vllm_gpu_memory_utilization" in sentence for sentence in enough.warnings)


def test_an_engine_without_a_card_takes_what_it_needs_and_says_so() -> None:
    found = answered(objective="grpo", method="lora", engine="vllm")
    held = lines_of(found, "decode")
    assert held["engine_weights"] == held["weights"]
    assert any("Name the card" in sentence for sentence in found.warnings)


def test_a_group_that_is_not_whole_is_said() -> None:
    found = answered(objective="grpo", method="lora", batch=3)
    assert any("whole group of 8" in sentence for sentence in found.warnings)


def test_evaluating_is_said_where_it_takes_more() -> None:
    wide = answered(method="lora", batch=1)
    assert any("Evaluating" in sentence for sentence in wide.warnings)
    assert not any("Evaluating" in s for s in answered(method="lora", batch=8).warnings)
    assert not any("Evaluating" in s for s in answered(method="lora").warnings)


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"objective": "distill"}, BadRequest, "needs a model to learn from"),
        ({"objective": "distill", "teacher": EIGHT}, Contradiction, "128,256"),
        ({"objective": "dpo", "reference": "adapters_off"}, Contradiction, "needs adapters"),
        ({"generations": 8}, Contradiction, "belongs to grpo"),
        ({"objective": "pretrain", "reference": "model"}, Contradiction, "dpo and grpo and ppo"),
        ({"objective": "sft", "engine": "vllm"}, Contradiction, "objective is `sft`"),
        ({"objective": "dpo", "loss": "liger"}, Unsupported, "whole logits"),
        ({"objective": "ppo", "loss": "chunked"}, Unsupported, "whole logits"),
        ({"objective": "grpo", "seq": 100, "new_tokens": 100}, Contradiction, "holds the prompt"),
        (
            {"objective": "grpo", "seq": 100, "prompt": 9, "new_tokens": 9},
            Contradiction,
            "are 18, not 100",
        ),
        ({"objective": "grpo", "engine": "ollama"}, BadRequest, "transformers or vllm"),
    ],
)
def test_what_cannot_be_is_refused(
    fields: dict[str, Any], kind: type[EstimatorError], message: str
) -> None:
    error = refused(**({"method": "full"} | fields))
    assert isinstance(error, kind)
    assert message in error.message


SIZES = st.integers(min_value=2, max_value=3000)


@given(seq=SIZES, more=SIZES, goal=st.sampled_from(("dpo", "reward", "grpo", "ppo")))
@FIXED
def test_longer_sequences_never_take_less(seq: int, more: int, goal: str) -> None:
    ask: Document = {"objective": goal, "method": "lora"}
    shorter, longer = (answered(**ask, seq=n).estimate.peak.bytes for n in (seq, seq + more))
    assert shorter <= longer


@given(batch=st.integers(1, 64), seq=SIZES)
@FIXED
def test_a_tiled_head_holds_no_more_than_whole_logits_of_long_batches(batch: int, seq: int) -> None:
    """The tile is as wide whatever the batch, so short batches may be smaller whole."""
    ask: Document = {"objective": "dpo", "method": "lora", "seq": 4096 + seq, "batch": batch}
    whole, tiled = answered(**ask), answered(**ask, loss="chunked")
    assert tiled.estimate.peak.bytes <= whole.estimate.peak.bytes
