"""Bare sizes: the table's shapes exactly, and shapes in between that count what was typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import BadRequest, answer, load_catalog, parse_request, parse_size
from estimator.rows import Size
from tests.estimator.questions import FIXED

CATALOG = load_catalog()
BY_COUNT = {size.parameters for size in CATALOG.sizes}
WITHIN = 0.015


def counted(typed: str) -> int:
    """Parameters of the shape that `typed` stands for."""
    found = answer(parse_request({"task": "infer", "model": typed}), CATALOG)
    return found.estimate.parameters.total


def typed_of(size: Size) -> str:
    return size.typed


@pytest.mark.parametrize(
    ("typed", "parameters", "experts"),
    [
        ("7B", 7_000_000_000, 1),
        ("0.5b", 500_000_000, 1),
        ("350M", 350_000_000, 1),
        ("1.1B", 1_100_000_000, 1),
        ("8x7B", 7_000_000_000, 8),
        ("8 x 22 b", 22_000_000_000, 8),
        ("1T", 1_000_000_000_000, 1),
    ],
)
def test_sizes_are_read_as_typed(typed: str, parameters: int, experts: int) -> None:
    size = parse_size(typed)
    assert size is not None
    assert (size.parameters, size.experts) == (parameters, experts)
    assert size.total == experts * parameters


@pytest.mark.parametrize(
    "text", ["", "7", "B", "7BB", "seven", "7 billion", "llama 7b", "-7B", "x7B"]
)
def test_what_is_no_size_is_a_name(text: str) -> None:
    assert parse_size(text) is None


@pytest.mark.parametrize("text", ["0B", "0x7B", "7x0B", "1M", "5T", "900x7B", "9999999999999B"])
def test_sizes_that_no_model_has(text: str) -> None:
    with pytest.raises(BadRequest) as raised:
        parse_size(text)
    assert raised.value.field == "model"
    assert text in raised.value.message


@pytest.mark.parametrize("size", CATALOG.sizes, ids=typed_of)
def test_a_size_of_the_table_is_its_model(size: Size) -> None:
    assert counted(size.typed) == CATALOG.models.find(size.shape).parameters


@given(millions=st.integers(min_value=10, max_value=4_000_000))
@FIXED
def test_sizes_in_between_count_what_was_typed(millions: int) -> None:
    wanted = millions * 10**6
    if wanted not in BY_COUNT:
        assert abs(counted(f"{millions}M") - wanted) <= WITHIN * wanted


@pytest.mark.parametrize(
    "millions", [10, 11, 14, 50, 70, 100, 135, 137, 200, 499, 1001, 2000, 7001, 200_000, 4_000_000]
)
def test_sizes_at_the_seams(millions: int) -> None:
    wanted = millions * 10**6
    assert abs(counted(f"{millions}M") - wanted) <= WITHIN * wanted


@given(experts=st.integers(min_value=2, max_value=64), billions=st.sampled_from((1, 3, 7, 13)))
@FIXED
def test_experts_add_their_mlps_only(experts: int, billions: int) -> None:
    assert (
        counted(f"{billions}B")
        < counted(f"{experts}x{billions}B")
        < experts * counted(f"{billions}B")
    )


@pytest.mark.parametrize("size", [s for s in CATALOG.sizes if s.span], ids=typed_of)
@pytest.mark.parametrize(
    "rest",
    [
        {"task": "train", "method": "full", "checkpointing": "full"},
        {"task": "train", "method": "qlora", "checkpointing": "full"},
        {"task": "infer", "context": 4096},
    ],
    ids=["full", "qlora", "serve"],
)
def test_the_range_of_a_size_spans_its_models(size: Size, rest: dict[str, object]) -> None:
    bare = answer(parse_request({**rest, "model": size.typed}), CATALOG).estimate
    for name in (size.shape, *size.span):
        named = answer(parse_request({**rest, "model": name}), CATALOG).estimate
        assert bare.low_bytes <= named.low_bytes <= named.high_bytes <= bare.high_bytes
