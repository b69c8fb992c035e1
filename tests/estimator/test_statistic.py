"""Which figure of an estimate answers to what was measured: each holds those before it."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import (
    GIB,
    Answer,
    Statistic,
    answer,
    figure_of,
    load_catalog,
    needs_card,
    parse_request,
    statistics_of,
    total_bytes,
)
from estimator.breakdown import Book
from estimator.statistic import context_of, peak_within

CATALOG = load_catalog()
TRAIN: dict[str, Any] = {"task": "train", "model": "7B", "method": "lora"}
SERVED = ("vllm", "sglang", "tensorrt_llm")


def answered(**fields: Any) -> Answer:  # noqa: ANN401  (JSON values)
    return answer(parse_request(fields), CATALOG)


@settings(deadline=None)
@given(
    model=st.sampled_from(["0.5B", "7B", "8x7B", "Qwen/Qwen2.5-7B"]),
    method=st.sampled_from(["full", "lora", "qlora"]),
    batch=st.integers(1, 8),
    strategy=st.sampled_from([None, "ddp", "fsdp"]),
)
def test_each_holds_the_one_before_it(
    model: str, method: str, batch: int, strategy: str | None
) -> None:
    several = {} if strategy is None else {"strategy": strategy, "world": 4}
    found = answered(task="train", model=model, method=method, batch=batch, **several)
    figures = [figure_of(found, one, CATALOG) for one in Statistic]
    for narrow, wide in pairwise(figures):
        assert narrow.bytes <= wide.bytes
        assert narrow.low_bytes <= wide.low_bytes
        assert narrow.high_bytes <= wide.high_bytes
    assert all(one.low_bytes < one.bytes < one.high_bytes for one in figures)


@pytest.mark.parametrize("engine", SERVED)
@pytest.mark.parametrize("card", ["rtx-4090", "h100-sxm5-80gb"])
def test_each_holds_the_one_before_it_on_servers(engine: str, card: str) -> None:
    gpus = [{"id": card, "count": 1}]
    found = answered(task="infer", model="8B", engine=engine, gpus=gpus)
    sizes = [figure_of(found, one, CATALOG).bytes for one in Statistic]
    assert sizes == sorted(sizes)
    gpu = CATALOG.gpus.get(card)
    assert gpu is not None
    assert sizes[-1] <= total_bytes(gpu, CATALOG.card_use) * 1.02


def test_tensors_are_in_all_of_them_and_the_context_in_the_last_alone() -> None:
    found = answered(**TRAIN)
    allocated, reserved, device = (figure_of(found, one, CATALOG) for one in Statistic)
    assert found.estimate.counted_peak_bytes <= allocated.bytes
    assert reserved.bytes == peak_within(found.estimate.moments, Book.RESERVED).bytes
    assert device.bytes == found.estimate.peak.bytes + context_of(found, CATALOG)
    assert device.bytes - reserved.bytes == context_of(found, CATALOG)  # on one card of PyTorch's


def test_the_context_is_the_named_cards_own() -> None:
    l4 = answered(**TRAIN, gpus=[{"id": "l4", "count": 1}])
    assert context_of(l4, CATALOG) == 226 * GIB // 1024
    assert context_of(answered(**TRAIN), CATALOG) == 501 * GIB // 1024


def test_communicators_are_in_what_the_card_shows_alone() -> None:
    found = answered(**TRAIN, strategy="zero3", world=4)
    keys = [{line.key for line in figure_of(found, one, CATALOG).lines} for one in Statistic]
    assert [("communicators" in one) for one in keys] == [False, False, True]


def test_a_bare_size_spans_the_models_that_it_stands_for() -> None:
    found = answered(**TRAIN)
    bare = figure_of(found, Statistic.ALLOCATED, CATALOG)
    alone = peak_within(found.estimate.moments, Book.ALLOCATED)
    assert bare.bytes == alone.bytes
    assert bare.low_bytes < alone.low_bytes
    assert bare.high_bytes > alone.high_bytes


@pytest.mark.parametrize("engine", SERVED)
def test_a_server_needs_its_card(engine: str) -> None:
    assert needs_card(answered(task="infer", model="8B", engine=engine))
    gpus = [{"id": "rtx-4090", "count": 1}]
    assert not needs_card(answered(task="infer", model="8B", engine=engine, gpus=gpus))


@pytest.mark.parametrize("users", [1, 4])
def test_a_server_fills_its_share_whatever_is_asked(users: int) -> None:
    gpus = [{"id": "rtx-4090", "count": 1}]
    found = answered(task="infer", model="8B", engine="vllm", gpus=gpus, users=users)
    (reserved,) = found.reservations
    device = figure_of(found, Statistic.DEVICE, CATALOG).bytes
    assert device == reserved.bytes + context_of(found, CATALOG)


@pytest.mark.parametrize(
    ("engine", "weights", "there"),
    [
        ("llama.cpp", "gguf:Q4_K_M", (Statistic.DEVICE,)),
        ("ollama", "gguf:Q4_K_M", (Statistic.DEVICE,)),
        ("mlx", "bf16", (Statistic.ALLOCATED,)),
        ("transformers", "bf16", tuple(Statistic)),
        ("vllm", "bf16", (Statistic.DEVICE, Statistic.ALLOCATED, Statistic.RESERVED)),
    ],
)
def test_programs_have_the_figures_that_they_have(
    engine: str, weights: str, there: tuple[Statistic, ...]
) -> None:
    found = answered(task="infer", model="8B", engine=engine, weights=weights)
    assert statistics_of(found.setup) == there
    assert statistics_of(answered(**TRAIN).setup) == tuple(Statistic)
