"""Servers with a cache in pages: what lies in them, what they reserve, what they refuse."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import (
    GIB,
    Answer,
    Contradiction,
    EstimatorError,
    answer,
    load_catalog,
    parse_request,
)
from estimator.engine_versions import release
from estimator.engines.paged import cells_of
from estimator.memory.cuda_graphs import graph_sizes
from estimator.setup import ServeSetup
from tests.estimator.questions import FIXED, MODELS, serve

CATALOG = load_catalog()
H100 = [{"id": "h100-sxm5-80gb"}]


def asked(**fields: object) -> Answer:
    return answer(parse_request(serve(**{"engine": "vllm", **fields})), CATALOG)


def setup(**fields: object) -> ServeSetup:
    found = asked(**fields).setup
    assert isinstance(found, ServeSetup)
    return found


def held(found: Answer, key: str) -> int:
    return sum(line.bytes for line in found.estimate.moments[-1].lines if line.key == key)


def test_blocks_of_a_mixed_model_are_of_one_size() -> None:
    # Gemma 3 12B: 40 layers look back 1,024 tokens, 8 see all; 8 kv heads of 256, 2 × 2 bytes.
    # vLLM's log of a start-up: 48,867 blocks in 47.72 GiB, which is 1 MiB each.
    cells = cells_of(setup(model="google/gemma-3-12b-it", engine_version="0.19"))
    assert {part.block_bytes for part in cells.parts} == {8 * 16 * 8 * 256 * 4}
    assert sorted(part.groups for part in cells.parts) == [1, 5]


def test_latents_are_not_divided_among_cards() -> None:
    fields = {"model": "deepseek-ai/DeepSeek-V2-Lite", "context": 4096}
    one, two = asked(**fields), asked(**fields, tp=2)
    assert held(one, "kv_cache") == held(two, "kv_cache") == 4096 * 27 * (512 + 64) * 2


def test_heads_are_repeated_where_cards_are_more() -> None:
    fields = {"model": "Qwen/Qwen2.5-7B", "context": 4096}  # 28 query heads, 4 kv heads
    four, all_heads = asked(**fields, tp=4), asked(**fields, tp=28)
    assert held(four, "kv_cache") == held(all_heads, "kv_cache")


def test_a_common_beginning_is_kept_once() -> None:
    alone, shared = asked(users=8, context=4096), asked(users=8, context=4096, shared_prefix=1000)
    page = 16 * 32 * 8 * 128 * 4
    assert held(alone, "kv_cache") - held(shared, "kv_cache") == 7 * (1000 // 16) * page


@pytest.mark.parametrize(
    ("most", "step", "sizes"), [(512, 16, 51), (512, 8, 67), (256, 16, 35), (1, 16, 3)]
)
def test_sizes_that_are_captured(most: int, step: int, sizes: int) -> None:
    assert graph_sizes(most, step) == sizes


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.11", (0, 11)), ("v0.19.1", (0, 19, 1)), ("0.9.0rc1", (0, 9, 0)), ("new", ())],
)
def test_versions_are_compared_by_their_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert release(version) == numbers


def test_the_version_moves_what_a_step_takes() -> None:
    steps = [
        held(asked(engine_version=version, gpus=H100), "profiled_step")
        for version in ("0.11", "0.16", "0.17", "0.19")
    ]
    assert steps[0] == steps[1] > 2 * steps[2]
    assert steps[2] == steps[3]


def test_a_wider_card_takes_wider_steps() -> None:
    by_card = {
        card: setup(gpus=[{"id": card}]).paging
        for card in ("rtx-4090", "a100-sxm4-80gb", "h100-sxm5-80gb")
    }
    steps = {card: paging.step_tokens for card, paging in by_card.items() if paging}
    assert steps == {"rtx-4090": 2048, "a100-sxm4-80gb": 2048, "h100-sxm5-80gb": 8192}


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm"])
def test_what_is_reserved_stands_apart_from_what_is_needed(engine: str) -> None:
    small = asked(engine=engine, gpus=H100, utilization=0.5)
    large = asked(engine=engine, gpus=H100, utilization=0.9)
    assert small.estimate == large.estimate
    (half,), (most,) = small.reservations, large.reservations
    assert most.pool_bytes > half.pool_bytes > 0
    assert most.users > half.users > 0
    document = large.document()["reservations"]
    assert [one["pool_bytes"] for one in document] == [most.pool_bytes]


def test_a_pool_is_the_share_less_what_is_held() -> None:
    found = asked(gpus=H100, utilization=0.9, engine_version="0.11", context=4096, users=3)
    (one,) = found.reservations
    card = next(card for card in found.cards if card.asked)
    kept = sum(
        line.bytes
        for line in found.estimate.peak.lines
        if line.key not in ("kv_cache", "cuda_graphs")
    )
    assert one.bytes == round(0.9 * card.total_bytes)
    assert one.pool_bytes == one.bytes - kept
    assert one.users == one.pool_bytes // (held(found, "kv_cache") // 3)


def test_graphs_come_out_of_the_share_since_a_version() -> None:
    before, since = (
        asked(gpus=H100, utilization=0.9, engine_version=version).reservations[0].pool_bytes
        for version in ("0.19", "0.20")
    )
    assert before - since == held(asked(gpus=H100), "cuda_graphs")
    assert not held(asked(gpus=H100, enforce_eager=True), "cuda_graphs")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gpus": [{"id": "rtx-4090"}], "utilization": 0.3}, "does not start. Raise its share"),
        ({"gpus": [{"id": "rtx-4090"}], "max_model_len": 100_000}, "does not start on"),
        ({"gpus": [{"id": "rtx-4090"}], "context": 4096}, "Without `--max-model-len`"),
        ({"gpus": [{"id": "rtx-4090"}], "users": 300, "context": 64}, "the others wait"),
        ({"draft": "70B", "model": "meta-llama/Llama-3.1-8B"}, "no smaller than"),
        ({"engine_version": "0.5"}, "older than what is known"),
        ({"lora_adapters": 8}, "--max-loras"),
        ({"engine": "llama.cpp", "weights": "Q4_K_M", "utilization": 0.5}, "without effect"),
    ],
)
def test_what_a_server_would_not_do_is_said(fields: dict[str, Any], words: str) -> None:
    assert any(words in warning for warning in asked(**fields).warnings)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"draft": "Qwen/Qwen2.5-0.5B"}, "vocabulary"),
        ({"max_batched_tokens": 128, "max_num_seqs": 256}, "at least one token"),
        ({"context": 8192, "max_model_len": 4096}, "longest request"),
        ({"prompt": 100, "shared_prefix": 200}, "do not share"),
        ({"draft_weights": "fp8"}, "belongs to `draft`"),
        ({"lora_adapters": 1, "rank": 1024}, "no slots"),
        ({"engine_version": "latest"}, "is a number"),
        ({"model": "deepseek-ai/DeepSeek-V3", "engine_version": "0.6.3"}, "kept other caches"),
        ({"utilization": 0.0}, "more than 0"),
        ({"utilization": 1.5}, "at most 1"),
        ({"lora_adapters": 1, "rank": 0}, "at least 1"),
    ],
)
def test_what_no_server_starts_with_is_refused(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(EstimatorError) as caught:
        asked(**fields)
    assert named in caught.value.message


def test_another_vocabulary_is_translated_elsewhere() -> None:
    found = asked(engine="llama.cpp", weights="Q4_K_M", draft="Qwen/Qwen2.5-0.5B")
    assert any("translated" in warning for warning in found.warnings)
    with pytest.raises(Contradiction):
        asked(draft="Qwen/Qwen2.5-0.5B")


@pytest.mark.parametrize("engine", ["vllm", "sglang", "transformers", "mlx", "exllamav2"])
def test_a_draft_and_adapters_come_on_top(engine: str) -> None:
    plain = asked(engine=engine, weights="bf16")
    beside = {"draft": "meta-llama/Llama-3.2-1B", "lora_adapters": 2, "rank": 16}
    more = asked(engine=engine, weights="bf16", **beside)
    added = more.estimate.moments[-1].bytes - plain.estimate.moments[-1].bytes
    draft = sum(
        line.bytes for line in more.estimate.moments[-1].lines if line.key.startswith("draft_")
    )
    assert added == draft + held(more, "served_loras")
    assert 2 * GIB < draft < 3 * GIB  # 1.24 billion parameters in bf16, and 0.25 GiB of cache


@FIXED
@given(
    st.sampled_from(MODELS),
    st.sampled_from(("vllm", "sglang", "tensorrt_llm")),
    st.integers(1, 64),
    st.integers(256, 20_000),
)
def test_more_users_and_longer_contexts_never_take_less(
    model: str, engine: str, users: int, context: int
) -> None:
    def peak(**fields: object) -> int:
        return asked(model=model, engine=engine, **fields).estimate.peak.bytes

    least = peak(users=users, context=context)
    assert peak(users=users + 1, context=context) >= least
    assert peak(users=users, context=context + 100) >= least
