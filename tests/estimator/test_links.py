"""What travels between cards, and over what."""

import pytest

from estimator import Catalog, Line, Reach, load_catalog, parse_request, pcie
from estimator.judging import resolve
from estimator.links import path_of, paths_of, sent
from tests.formula_text import evaluate

WEIGHTS, GRADIENTS = 16_060_522_496, 16_060_522_496  # of Llama 3.1 8B in 16 bits


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def sent_by(catalog: Catalog, **asked: object) -> Line | None:
    return sent(resolve(parse_request({"model": "meta-llama/Llama-3.1-8B", **asked}), catalog))


@pytest.mark.parametrize(
    ("generation", "lanes", "gb"), [(3, 16, 15.75), (4, 16, 31.51), (4, 8, 15.75), (5, 16, 63.02)]
)
def test_a_slot_has_what_its_generation_gives(generation: int, lanes: int, gb: float) -> None:
    each_way = pcie(generation, lanes).each_way
    assert each_way is not None
    assert round(each_way / 1e9, 2) == gb


@pytest.mark.parametrize(
    ("card", "reach", "gb"),
    [
        ("h100-sxm5-80gb", Reach.ALL, 450),
        ("a100-sxm4-80gb", Reach.ALL, 300),
        ("rtx-3090", Reach.PAIRS, None),
        ("rtx-4090", Reach.NONE, 31),
        ("rtx-5060", Reach.NONE, 31),
    ],
)
def test_a_card_has_its_rows_link(
    card: str, reach: Reach, gb: int | None, catalog: Catalog
) -> None:
    path = path_of(catalog.gpus.find(card))
    assert path is not None
    assert path.reach is reach
    assert (path.each_way and path.each_way // 10**9) == gb


def test_links_are_in_the_order_of_the_cards(catalog: Catalog) -> None:
    gpus = catalog.class_members(catalog.classes.find("80gb"))
    assert [path.card for path in paths_of(gpus)] == [gpu.name for gpu in gpus]
    assert paths_of([catalog.gpus.find("m2 ultra 192gb")]) == ()


@pytest.mark.parametrize(
    ("strategy", "micro_steps", "size"),
    [
        ("ddp", 1, 2 * GRADIENTS * 3 // 4),
        ("zero2", 8, 2 * GRADIENTS * 3 // 4),
        ("fsdp", 1, (2 * WEIGHTS + GRADIENTS) * 3 // 4),
        ("zero3", 8, 8 * (2 * WEIGHTS + GRADIENTS) * 3 // 4),
    ],
)
def test_zero_3_sends_half_more_than_data_parallel(
    strategy: str, micro_steps: int, size: int, catalog: Catalog
) -> None:
    """Section 7 of the ZeRO paper: 2 Ψ, and 3 Ψ where weights are sharded."""
    line = sent_by(
        catalog, task="train", method="full", strategy=strategy, world=4, accumulation=micro_steps
    )
    assert line is not None
    assert line.bytes == size
    assert evaluate(line.formula, line.terms) == line.bytes


def test_adapters_send_the_frozen_model_too(catalog: Catalog) -> None:
    line = sent_by(catalog, task="train", method="lora", strategy="fsdp", world=2)
    assert line is not None
    assert WEIGHTS < line.bytes < 1.1 * WEIGHTS


def test_tensor_parallel_sums_twice_a_block(catalog: Catalog) -> None:
    line = sent_by(catalog, task="infer", engine="vllm", prompt=1000, world=2)
    assert line is not None
    assert line.bytes == 2 * 2 * 32 * 1000 * 4096 * 2 // 2
    assert evaluate(line.formula, line.terms) == line.bytes


def test_one_card_and_layers_of_their_own_send_nothing_to_speak_of(catalog: Catalog) -> None:
    assert sent_by(catalog, task="train", method="full") is None
    assert sent_by(catalog, task="infer", weights="gguf:Q4_K_M", world=2) is None
