"""Where the GPU guide says otherwise than the plan."""

import re
from typing import Any

import pytest

from estimator import Catalog, Difference, TrainSetup, Why, difference, load_catalog, parse_request
from estimator.guide import CARDS
from estimator.judging import resolve
from estimator.plan import plans
from estimator.rules import GUIDE_FULL


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def of(catalog: Catalog, **fields: object) -> Difference | None:
    request = parse_request({"task": "train", **fields})
    setup = resolve(request, catalog)
    assert isinstance(setup, TrainSetup)
    return difference(setup, plans(request, catalog).classes)


def test_the_cards_are_those_that_it_prints() -> None:
    printed = {size: re.findall(r"(\d+)×80 GB", text) for size, text in GUIDE_FULL.items()}
    assert printed == {size: [str(one) for one in cards] for size, cards in CARDS.items()}


@pytest.mark.parametrize(
    ("model", "said", "why"), [("13B", 2, Why.MASTER), ("34B", 4, Why.SUM), ("70B", 8, Why.SUM)]
)
def test_full_training_takes_more_than_it_says(
    model: str, said: int, why: Why, catalog: Catalog
) -> None:
    found = of(catalog, model=model, method="full")
    assert found is not None
    assert (found.card_gb, found.said, found.why) == (80, said, why)
    assert found.planned is not None
    assert found.planned > said


def test_two_cards_for_7b_are_what_it_says(catalog: Catalog) -> None:
    assert of(catalog, model="7B", method="full") is None


def test_without_a_master_its_sum_is_still_divided(catalog: Catalog) -> None:
    found = of(catalog, model="13B", method="full", master="none", batch=32)
    assert found is not None
    assert found.why is Why.DIVIDED


def test_one_card_for_70b_under_qlora_is_what_it_says(catalog: Catalog) -> None:
    assert of(catalog, model="70B", method="qlora") is None
    found = of(catalog, model="70B", method="qlora", batch=8, seq=8192)
    assert found is not None
    assert (found.said, found.why) == (1, Why.ADAPTERS)


def test_adapters_of_7b_and_13b(catalog: Catalog) -> None:
    assert of(catalog, model="7B", method="lora") is None
    found = of(catalog, model="13B", method="lora", batch=16, seq=8192)
    assert found is not None
    assert (found.card_gb, found.said) == (48, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "20B", "method": "full"},
        {"model": "405B", "method": "qlora"},
        {"model": "13B", "method": "galore"},
    ],
)
def test_of_what_it_does_not_print_nothing_is_said(
    fields: dict[str, Any], catalog: Catalog
) -> None:
    assert of(catalog, **fields) is None
