"""The bound of decoding: no published run is faster, and none far below it on one card."""

from typing import Any

import pytest

from estimator import (
    Catalog,
    DecodeBound,
    ServeSetup,
    answer,
    fastest_decode,
    load_catalog,
    parse_request,
)

# ((model, format), card, tokens of context, tokens a second), as published
GEMMA = ("google/gemma-3-4b-it", "gguf:Q4_K_M")
LLAMA = ("meta-llama/Llama-3.1-8B", "gguf:Q4_K_M")
PUBLISHED = [
    # llama.cpp 3e12fbd: https://calebcoffie.com/benchmarks/gemma-3-4b-it-gguf
    (GEMMA, "rtx-3090", 1024, 189.8),
    (GEMMA, "rtx-3090", 2048, 189.0),
    # https://smeltcore.com/recipes/llama-3-1-8b-on-rtx-3090-local-chat-via-llama-cpp-unsloth-ud-q4-k-xl-gguf/
    (LLAMA, "rtx-3090", 1024, 92),
    (LLAMA, "rtx-3090-ti", 1024, 110),
]
LEAST_REACHED = 0.4  # of the bound; a bound far above would be of no use


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def bound(catalog: Catalog, **fields: object) -> DecodeBound | None:
    found = answer(parse_request({"task": "infer", **fields}), catalog)
    assert isinstance(found.setup, ServeSetup)
    return fastest_decode(found.setup, found.estimate)


def on(card: str, count: int = 1) -> list[dict[str, Any]]:
    return [{"id": card, "count": count}]


@pytest.mark.parametrize(("served", "card", "context", "seen"), PUBLISHED)
def test_published_runs_stay_below_it(
    served: tuple[str, str], card: str, context: int, seen: float, catalog: Catalog
) -> None:
    model, weights = served
    found = bound(catalog, model=model, weights=weights, context=context, gpus=on(card))
    assert found is not None
    assert LEAST_REACHED * found.each < seen < found.each


def test_it_is_bandwidth_over_what_is_read(catalog: Catalog) -> None:
    found = bound(catalog, model="meta-llama/Llama-3.1-8B", context=8192, gpus=on("a100 80gb"))
    assert found is not None
    embedding = 128_256 * 4096 * 2  # a row of it is read
    assert found.weight_bytes == 16_060_522_496 - embedding
    assert found.read_bytes == found.weight_bytes + 8192 * 32 * 2 * 8 * 128 * 2
    assert found.each == 2039 * 10**9 / found.read_bytes
    assert found.together == found.each


def test_a_tied_head_is_read(catalog: Catalog) -> None:
    found = bound(catalog, model="meta-llama/Llama-3.2-1B", context=256, gpus=on("l4"))
    assert found is not None
    assert found.weight_bytes == 2 * 1_235_814_400


def test_of_experts_those_of_a_token_are_read(catalog: Catalog) -> None:
    found = bound(catalog, model="mistralai/Mixtral-8x7B-v0.1", gpus=on("h200"))
    assert found is not None
    assert 2 * 12.5e9 < found.weight_bytes < 2 * 12.9e9


def test_cards_that_divide_layers_read_at_once(catalog: Catalog) -> None:
    one, two = (bound(catalog, model="8B", engine="vllm", gpus=on("a100 80gb", n)) for n in (1, 2))
    assert one is not None
    assert two is not None
    assert two.each == pytest.approx(2 * one.each, rel=1e-3)


def test_cards_with_layers_of_their_own_take_turns(catalog: Catalog) -> None:
    fields: dict[str, Any] = {"model": "70B", "weights": "gguf:Q4_K_M"}
    one = bound(catalog, **fields, gpus=on("a100 80gb"))
    two = bound(catalog, **fields, gpus=on("a100 80gb", 2))
    assert one is not None
    assert two is not None
    assert two.each == pytest.approx(one.each, rel=1e-3)


def test_users_read_the_weights_together(catalog: Catalog) -> None:
    one = bound(catalog, model="8B", users=1, context=1024, gpus=on("h100"))
    many = bound(catalog, model="8B", users=32, context=1024, gpus=on("h100"))
    assert one is not None
    assert many is not None
    assert many.each < one.each
    assert one.together < many.together < 32 * one.together


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "8B"},
        {"model": "8B", "gpus": on("24gb")},
        {"model": "8B", "gpus": on("gh200")},  # whose bandwidth no source gives
        {"model": "70B", "weights": "gguf:Q4_K_M", "gpu_layers": 20, "gpus": on("rtx 3090")},
        {"model": "8B", "gpus": [*on("rtx 3090"), *on("rtx 4090")]},
        {"model": "70B", "draft": "1B", "gpus": on("h200")},
    ],
)
def test_else_nothing_is_said(fields: dict[str, Any], catalog: Catalog) -> None:
    assert bound(catalog, **fields) is None
