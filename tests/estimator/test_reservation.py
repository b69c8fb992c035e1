"""What servers reserve of cards: in step with what the work needs, however it is divided."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import Answer, Basis, Contradiction, answer, load_catalog, parse_request
from estimator.engines.paged import cells_of
from estimator.memory.paged_cache import Layout, Part
from estimator.reservation import Reservation, holds
from estimator.setup import ServeSetup
from tests.estimator.questions import FIXED, MODELS, serve

CATALOG = load_catalog()
PAGED = ("vllm", "sglang", "tensorrt_llm")
LLAMA = "meta-llama/Llama-3.1-8B"
MIXED = ("google/gemma-3-12b-it", "meta-llama/Llama-4-Scout-17B-16E", "openai/gpt-oss-20b")
ENCODERS = ("google-bert/bert-base-uncased", "FacebookAI/roberta-base")
COMMUNICATOR = 430 * 2**20  # between stages
MOST_USERS = 20_000


def asked(**fields: object) -> Answer:
    return answer(parse_request(serve(**{"engine": "vllm", **fields})), CATALOG)


def on(card: str, count: int = 1, **fields: object) -> Answer:
    return asked(gpus=[{"id": card, "count": count}], **fields)


def reserved(found: Answer) -> Reservation:
    (one,) = found.reservations
    return one


def setup(found: Answer) -> ServeSetup:
    assert isinstance(found.setup, ServeSetup)
    return found.setup


def cached(found: Answer) -> int:
    lines = found.estimate.moments[-1].lines
    return sum(line.bytes for line in lines if "cache" in line.key)


def runtime(found: Answer) -> tuple[int, Basis]:
    (line,) = (one for one in found.estimate.peak.lines if one.key == "engine_runtime")
    return line.bytes, line.basis


@pytest.mark.parametrize("engine", PAGED)
def test_layers_divided_leave_room_for_as_many_as_heads_divided(engine: str) -> None:
    fields: dict[str, Any] = {"engine": engine, "model": LLAMA, "utilization": 0.8}
    heads = on("h100-sxm5-80gb", 8, strategy="tp", **fields)
    layers = on("h100-sxm5-80gb", 8, strategy="device_map", **fields)
    assert cached(heads) == cached(layers)
    one, other = reserved(heads), reserved(layers)
    assert other.users * one.pool_bytes == pytest.approx(one.users * other.pool_bytes, rel=0.01)
    assert other.pool_tokens * one.pool_bytes == pytest.approx(
        one.pool_tokens * other.pool_bytes, rel=0.01
    )


@FIXED
@given(
    st.sampled_from((*MODELS, *MIXED)),
    st.sampled_from(PAGED),
    st.sampled_from((None, "tp", "device_map")),
    st.sampled_from((1, 2, 3, 8)),
    st.integers(64, 30_000),
)
def test_as_many_users_as_a_pool_is_said_to_hold_go_in(
    model: str, engine: str, strategy: str | None, count: int, context: int
) -> None:
    fields: dict[str, Any] = {"model": model, "engine": engine, "context": context, "prompt": 1}
    fields |= {} if strategy is None else {"strategy": strategy}
    fields |= {"max_num_seqs": 8}
    try:
        one = reserved(on("h100-sxm5-80gb", count, **fields))
    except Contradiction:  # heads that do not go into so many cards
        return
    if not 0 < one.users < MOST_USERS or on("h100-sxm5-80gb", count, **fields).estimate.shares:
        return
    full = on("h100-sxm5-80gb", count, users=one.users, **fields)
    over = on("h100-sxm5-80gb", count, users=one.users + 1, **fields)
    assert cached(full) <= one.pool_bytes < cached(over)


@pytest.mark.parametrize("card", ["rtx-4090", "rtx-3060-12gb", "h100-sxm5-80gb"])
@pytest.mark.parametrize("model", MIXED)
@pytest.mark.parametrize("engine", ["sglang", "tensorrt_llm"])
@pytest.mark.parametrize("longest", [100, 5000, 20_000, 90_000])
def test_a_request_that_is_shorter_than_the_pool_starts(
    card: str, model: str, engine: str, longest: int
) -> None:
    weights = "gptq4" if "gemma" in model else None
    named = {"weights": weights} if weights else {}
    found = on(card, 2, model=model, engine=engine, max_model_len=longest, context=64, **named)
    one = reserved(found)
    assert one.starts == (one.pool_bytes > 0 and one.pool_tokens >= longest)


def test_the_longest_sequence_counts_its_windows() -> None:
    cells = Layout((Part(1, 1000, 1, None), Part(1, 700, 1, 50)))
    for pool in range(0, 400_000, 9_973):
        tokens = cells.tokens_in(pool, step=20)
        if tokens:
            assert cells.most_bytes(tokens, 20) <= pool < cells.most_bytes(tokens + 1, 20)


@pytest.mark.parametrize("engine", PAGED)
def test_states_are_counted_as_whole_sequences(engine: str) -> None:
    one = reserved(on("rtx-4090", model="tiiuae/falcon-mamba-7b", engine=engine))
    assert one.pool_tokens == one.users * one.longest > 0


@pytest.mark.parametrize("engine", PAGED)
@pytest.mark.parametrize("model", ENCODERS)
def test_without_a_cache_nothing_is_reserved_for_one(engine: str, model: str) -> None:
    found = on("rtx-4090", model=model, engine=engine, max_num_seqs=64)
    one = reserved(found)
    assert not cells_of(setup(found)).parts
    assert (one.pool_bytes, one.pool_tokens, one.users, one.starts) == (0, 0, 0, True)
    assert one.bytes <= found.estimate.peak.bytes
    said = (*found.warnings, *asked(model=model, engine=engine).warnings)
    assert not any("the card" in warning for warning in said)
    assert holds(setup(on("rtx-4090", model=model, engine=engine, users=64, max_num_seqs=64)), one)
    assert not holds(
        setup(on("rtx-4090", model=model, engine=engine, users=65, max_num_seqs=64)), one
    )
    shared = on("rtx-4090", model=model, engine=engine, utilization=0.5)
    assert any("without effect" in warning for warning in shared.warnings)


@pytest.mark.parametrize("engine", PAGED)
def test_a_server_holds_the_users_that_its_reservation_names(engine: str) -> None:
    one = reserved(on("rtx-4090", engine=engine, context=1024))
    fitting, more = (
        on("rtx-4090", engine=engine, context=1024, users=users)
        for users in (one.users, one.users + 1)
    )
    if engine == "vllm":  # whose step does not grow with users
        assert holds(setup(fitting), reserved(fitting))
    assert not holds(setup(more), reserved(more))
    long = on("rtx-4090", engine=engine, context=1024, max_model_len=10 * one.pool_tokens)
    assert not holds(setup(long), reserved(long))


@pytest.mark.parametrize("fields", [{}, {"draft_weights": "bf16"}])
@pytest.mark.parametrize("engine", ["vllm", "sglang", "transformers"])
def test_a_draft_is_not_as_large_as_the_file_of_the_model(
    engine: str, fields: dict[str, Any]
) -> None:
    draft = "meta-llama/Llama-3.2-1B"
    found = asked(engine=engine, model=LLAMA, weight_bytes=20 * 10**9, draft=draft, **fields)
    sizes = {line.key: line.bytes for line in found.estimate.peak.lines}
    assert sizes["weights"] == 20 * 10**9
    assert sizes["draft_weights"] == 1_235_814_400 * 2


@pytest.mark.parametrize("engine", PAGED)
def test_dividing_layers_takes_less_than_one_card_beside_a_communicator(engine: str) -> None:
    alone = on("rtx-3090", engine=engine, model=LLAMA)
    layers = on("rtx-3090", 2, engine=engine, model=LLAMA, strategy="device_map")
    assert layers.estimate.peak.bytes < alone.estimate.peak.bytes
    assert layers.estimate.high_bytes <= alone.estimate.high_bytes
    assert runtime(layers) == (runtime(alone)[0] + COMMUNICATOR, Basis.ASSUMED)


def test_buffers_to_sum_over_cards_are_measured_of_vllm_alone() -> None:
    bases = {engine: runtime(on("rtx-3090", 2, engine=engine, tp=2))[1] for engine in PAGED}
    assert bases["vllm"] is Basis.MEASURED
    assert {bases["sglang"], bases["tensorrt_llm"]} == {Basis.ASSUMED}


@pytest.mark.parametrize("engine", PAGED)
def test_the_share_that_was_named_is_the_one_that_is_said(engine: str) -> None:
    (said,) = (text for text in asked(engine=engine, utilization=0.55).warnings if "%" in text)
    assert "55%" in said


@pytest.mark.parametrize("engine", PAGED)
@pytest.mark.parametrize("share", [None, 1.0])
def test_more_of_a_card_is_no_help_where_weights_exceed_it(
    engine: str, share: float | None
) -> None:
    fields: dict[str, Any] = {} if share is None else {"utilization": share}
    found = on("rtx-4090", engine=engine, model="meta-llama/Llama-3.1-70B", **fields)
    (said,) = (text for text in found.warnings if "does not start" in text)
    assert "fewer bits" in said
    assert "share" not in said
    assert "max_num_seqs" not in said
    assert not reserved(found).starts


@pytest.mark.parametrize(
    ("fields", "helps", "helps_not"),
    [
        ({"utilization": 0.3}, "Raise its share.", "max_num_seqs"),
        ({"utilization": 0.7, "max_num_seqs": 512}, "lower `max_num_seqs`", "fewer bits"),
        ({"engine": "sglang", "utilization": 0.3}, "Raise its share.", "max_"),
        ({"engine": "sglang", "max_batched_tokens": 8192}, "lower `max_batched_tokens`", "seqs"),
        ({"engine": "sglang", "max_batched_tokens": 20_000}, "--mem-fraction-static", "0%"),
    ],
)
def test_what_helps_a_server_to_start_is_said(
    fields: dict[str, Any], helps: str, helps_not: str
) -> None:
    found = on("rtx-4090", model=LLAMA, **fields)
    (said,) = (text for text in found.warnings if "does not start" in text)
    assert helps in said
    assert helps_not not in said
    assert not reserved(found).starts


@pytest.mark.parametrize("engine", PAGED)
def test_no_more_than_a_card_is_reserved(engine: str) -> None:
    found = on("class-8gb", 8, engine=engine, model="meta-llama/Llama-3.1-70B")
    one = reserved(found)
    assert 0 <= one.bytes <= next(card.total_bytes for card in found.cards if card.asked)
    assert one.pool_bytes > 0 or not one.starts


def test_a_window_that_goes_in_is_not_warned_of() -> None:
    # vLLM's log counts windows as if they saw all: fewer tokens than one sequence may have
    model = "google/gemma-3-12b-it"
    one = reserved(on("h100-sxm5-80gb", model=model, max_model_len=131_072, context=4096))
    found = on("h100-sxm5-80gb", model=model, context=4096)
    warned = any("Without `--max-model-len`" in text for text in found.warnings)
    assert warned == (not one.starts)


@pytest.mark.parametrize("users", [9, 100])
def test_sglang_runs_more_at_once_than_it_has_graphs_for(users: int) -> None:
    assert not any("wait" in text for text in on("t4", engine="sglang", users=users).warnings)
    told = on("t4", engine="sglang", users=users, max_num_seqs=8)
    assert any("wait" in text for text in told.warnings)
