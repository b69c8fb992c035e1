"""How engines cut layers into stages: by their own rules, to the last layer."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.stages import (
    balanced_stages,
    sglang_stages,
    tensorrt_stages,
    vllm_stages,
    weighed_head,
    weighed_stages,
)
from tests.estimator.questions import FIXED

Cut = Callable[[int, int], tuple[int, ...]]
EVEN = (vllm_stages, sglang_stages, tensorrt_stages)
DEPTHS = st.integers(1, 130)
STAGES = st.integers(1, 16)


@pytest.mark.parametrize(
    ("cut", "counts"),
    [
        (vllm_stages, (7, 7, 8, 8, 8, 8, 8, 7)),
        (sglang_stages, (7, 7, 7, 8, 8, 8, 8, 8)),
        (tensorrt_stages, (8, 8, 8, 8, 8, 7, 7, 7)),
    ],
)
def test_61_layers_on_8_stages(cut: Cut, counts: tuple[int, ...]) -> None:
    assert cut(61, 8) == counts


@FIXED
@given(DEPTHS, STAGES)
def test_every_layer_is_in_one_stage(depth: int, stages: int) -> None:
    for cut in EVEN:
        counts = cut(depth, stages)
        assert (len(counts), sum(counts)) == (stages, depth)
        assert max(counts) - min(counts) <= 1


@FIXED
@given(DEPTHS, STAGES)
def test_more_stages_never_have_a_fuller_one(depth: int, stages: int) -> None:
    for cut in EVEN:
        assert max(cut(depth, stages + 1)) <= max(cut(depth, stages))
    one, more = [1] * stages, [1] * (stages + 1)
    fullest = max(weighed_stages(depth, head=True, weights=one))
    assert max(weighed_stages(depth, head=True, weights=more)) <= fullest


@pytest.mark.parametrize(
    ("layers", "weights", "counts"),
    [
        (80, [1, 1], (41, 39)),  # the head is one layer more
        (40, [1, 1], (21, 19)),
        (61, [1] * 8, (8, 8, 8, 7, 8, 8, 8, 6)),
        (80, [3, 1], (61, 19)),
        (80, [1, 0], (80, 0)),
        (80, [0, 1], (0, 80)),
    ],
)
def test_layers_by_weight(layers: int, weights: list[int], counts: tuple[int, ...]) -> None:
    assert weighed_stages(layers, head=True, weights=weights) == counts


@FIXED
@given(DEPTHS, st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any))
def test_weights_lose_no_layer(layers: int, weights: list[int]) -> None:
    counts = weighed_stages(layers, head=True, weights=weights)
    assert sum(counts) == layers
    assert all(weight or not count for weight, count in zip(weights, counts, strict=True))
    assert weights[weighed_head(layers, weights)]


def test_transformers_fills_cards_in_order() -> None:
    counts = balanced_stages(10, [10] * 80, 10, (None, None))
    assert sum(counts) == 80
    small = balanced_stages(10, [10] * 80, 10, (200, None))
    assert small[0] <= 18  # and room for one more block
    assert sum(small) == 80


@FIXED
@given(
    st.integers(0, 50),
    st.lists(st.integers(1, 20), min_size=1, max_size=80),
    st.lists(st.one_of(st.none(), st.integers(0, 900)), min_size=1, max_size=6),
)
def test_every_block_is_put_on_a_card(
    table: int, blocks: list[int], rooms: list[int | None]
) -> None:
    counts = balanced_stages(table, blocks, 0, rooms)
    assert (sum(counts), len(counts)) == (len(blocks), len(rooms))
