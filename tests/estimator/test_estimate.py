"""Laws of memory: what holds of every estimate, whatever is asked."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from estimator import Answer, answer, load_catalog, parse_request
from estimator.model_rows import Model
from tests.estimator.questions import (
    FIXED,
    FULL_REQUESTS,
    LORA_REQUESTS,
    MODELS,
    REQUESTS,
    SERVE_REQUESTS,
    TRAIN_REQUESTS,
    Document,
)
from tests.estimator.words import WHOLLY_SHARDED

CATALOG = load_catalog()
HELD = ("weights", "adapters", "gradients", "master_weights", "optimizer_")


def _mostly_linears(row: Model) -> bool:
    """What packing saves, three parts of four, is more than fp32 adds to all the rest."""
    linears = sum(t.parameters for t in row.architecture.tensors if t.role == "linear")
    return 3 * linears > 4 * (row.architecture.parameters - linears)


DENSE_FROM_1B = tuple(
    row.id
    for row in CATALOG.models.rows
    if row.parameters >= 10**9
    and row.architecture.parameters == row.architecture.active_parameters
    and _mostly_linears(row)
)
MORE = st.integers(min_value=1, max_value=300)


def answered(request: Document) -> Answer:
    return answer(parse_request(request), CATALOG)


def peak(request: Document) -> int:
    return answered(request).estimate.peak.bytes


def held(request: Document) -> dict[str, int]:
    """Weights, adapters, gradients and states at the optimizer's step, by line."""
    step = next(m for m in answered(request).estimate.moments if m.name == "optimizer_step")
    return {
        line.key: line.bytes
        for line in step.lines
        if line.key.startswith(HELD) and line.key != "optimizer_temporaries"
    }


@pytest.mark.parametrize("field", ["batch", "seq", "accumulation"])
@given(request=TRAIN_REQUESTS, more=MORE)
@FIXED
def test_a_larger_step_never_takes_less(field: str, request: Document, more: int) -> None:
    before = {field: 1} | request
    if field == "accumulation":  # a step inside backward leaves nothing to accumulate
        before.pop("optimizer_in_backward", None)
        assume("lomo" not in (request.get("method"), request.get("optimizer")))
    assert peak(before) <= peak(before | {field: before[field] + more})


@given(request=LORA_REQUESTS, more=MORE)
@FIXED
def test_a_higher_rank_never_takes_less(request: Document, more: int) -> None:
    assert peak(request) <= peak(request | {"rank": request["rank"] + more})


@pytest.mark.parametrize("field", ["context", "users"])
@given(request=SERVE_REQUESTS, more=MORE)
@FIXED
def test_more_served_never_takes_less(field: str, request: Document, more: int) -> None:
    assert peak(request) <= peak(request | {field: request[field] + more})


@pytest.mark.parametrize("model", MODELS)
def test_methods_in_order_without_kbit_preparation(model: str) -> None:
    ask = {"task": "train", "model": model}
    qlora = held(ask | {"method": "qlora", "kbit_prepare": False})
    lora, full = held(ask | {"method": "lora"}), held(ask | {"method": "full"})
    assert sum(qlora.values()) <= sum(lora.values()) <= sum(full.values())


@pytest.mark.parametrize("model", DENSE_FROM_1B)
def test_methods_in_order(model: str) -> None:
    """Embeddings that k-bit preparation doubles weigh less than what packing saves."""
    ask = {"task": "train", "model": model}
    qlora, lora, full = (held(ask | {"method": name}) for name in ("qlora", "lora", "full"))
    assert sum(qlora.values()) <= sum(lora.values()) <= sum(full.values())


def test_where_qlora_takes_more_than_lora_the_answer_says_why() -> None:
    # Mixtral's experts are no linears: not packed, and k-bit preparation makes them fp32
    ask = {"task": "train", "model": "mistralai/Mixtral-8x7B-v0.1"}
    assert sum(held(ask | {"method": "qlora"}).values()) > sum(
        held(ask | {"method": "lora"}).values()
    )
    warnings = answered(ask | {"method": "qlora"}).warnings
    assert any("expert" in sentence for sentence in warnings)


@given(
    request=st.one_of(FULL_REQUESTS, LORA_REQUESTS),
    strategy=st.sampled_from(WHOLLY_SHARDED),
    world=st.integers(min_value=2, max_value=64),
)
@FIXED
def test_sharded_lines_are_never_more_than_whole_ones(
    request: Document, strategy: str, world: int
) -> None:
    request |= {"kbit_prepare": False} if request["method"] == "qlora" else {}
    whole = held(request | {"strategy": "single", "world": 1})
    for key, amount in held(request | {"strategy": strategy, "world": world}).items():
        assert amount <= whole[key], key


@given(request=st.one_of(FULL_REQUESTS, LORA_REQUESTS))
@FIXED
def test_more_zero_never_takes_more_of_what_it_shards(request: Document) -> None:
    stages = ({"strategy": f"zero{stage}", "world": 8} for stage in (1, 2, 3))
    first, second, third = (sum(held(request | stage).values()) for stage in stages)
    assert third <= second <= first


@given(request=REQUESTS)
@FIXED
def test_counts_nest(request: Document) -> None:
    counts = answered(request).estimate.parameters
    assert 0 <= counts.trainable <= counts.total
    assert 0 < counts.active <= counts.total


@given(request=REQUESTS)
@FIXED
def test_the_range_holds_every_moment(request: Document) -> None:
    """No moment can need more than the high end: a card that holds it holds the run."""
    found = answered(request).estimate
    assert found.low_bytes <= found.peak.bytes <= found.high_bytes
    assert max(moment.high_bytes for moment in found.moments) <= found.high_bytes
