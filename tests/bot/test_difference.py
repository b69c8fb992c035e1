"""Why one side takes more: the part that differs most, and its cause."""

from typing import Any

import pytest

from bot.locale import load_locale
from bot.presenting.difference import difference
from estimator import Answer, answer, load_catalog, parse_request

CATALOG, LOCALE = load_catalog(), load_locale("en")


def found(**fields: object) -> Answer:
    return answer(parse_request({"task": "train", "model": "7B"} | fields), CATALOG)


LORA = {"method": "lora"}
SERVED: dict[str, Any] = {"task": "infer", "model": "8B"}
CASES = (
    ({"method": "qlora"}, LORA, "mostly weights", "(in nf4_dq, not bf16)"),
    (LORA, {"method": "full"}, "mostly optimizer's states", "only the adapters are trained"),
    (LORA, LORA | {"checkpointing": "none"}, "mostly activations", "computed again"),
    (LORA, LORA | {"batch": 8}, "tokens at once", "2,048 tokens at once, not 16,384"),
    (
        {"method": "full", "optimizer": "adamw_8bit"},
        {"method": "full"},
        "mostly optimizer's states",
        "adamw_8bit keeps less than adamw_fused",
    ),
    (SERVED, SERVED | {"context": 65_536}, "mostly cache", "8,192 tokens, not 65,536"),
    (SERVED | {"kv": "fp8"}, SERVED, "mostly cache", "in fp8, not bf16"),
    (SERVED | {"world": 2}, SERVED, "mostly weights", "shared by 2 cards, not 1"),
    ({"model": "7B"} | LORA, {"model": "13B"} | LORA, "mostly weights", ""),
)


@pytest.mark.parametrize(("low", "high", "part", "cause"), CASES)
def test_the_part_and_its_cause_are_named(
    low: dict[str, Any], high: dict[str, Any], part: str, cause: str
) -> None:
    said = difference(("one", found(**low)), ("other", found(**high)), LOCALE)
    assert said.startswith("`one` takes ")
    assert part in said
    assert cause in said


def test_another_model_is_no_other_format() -> None:
    one, other = found(model="7B", method="qlora"), found(model="13B", method="lora")
    assert "(" not in difference(("one", one), ("other", other), LOCALE)


@pytest.mark.parametrize(
    ("low", "high", "shards"),
    [
        ({"strategy": "zero3"}, {"strategy": "zero2"}, True),
        ({"strategy": "zero1"}, {"strategy": "ddp"}, True),
        ({"strategy": "fsdp"}, {"strategy": "zero3"}, False),  # both divide all there is
    ],
)
def test_more_is_sharded_only_where_the_other_leaves_it_whole(
    low: dict[str, Any], high: dict[str, Any], shards: bool
) -> None:
    sides = [found(method="full", world=4, **fields) for fields in (low, high)]
    said = difference(("one", sides[0]), ("other", sides[1]), LOCALE)
    assert ("shards more than" in said) is shards


def test_what_goes_the_other_way_is_said() -> None:
    small = found(method="lora", batch=4)
    large = found(method="qlora", batch=8)
    said = difference(("lora", small), ("qlora", large), LOCALE)
    assert "The other way goes weights: 13.5 GiB instead of 4.4 GiB." in said


def test_equal_sides_have_no_difference() -> None:
    one = found(method="lora")
    assert not difference(("a", one), ("b", one), LOCALE)
    assert not difference(("b", found(method="full")), ("a", one), LOCALE)
