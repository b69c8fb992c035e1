"""Text and number cannot drift: every formula, evaluated, gives its bytes."""

import json

import pytest
from hypothesis import given

from estimator import Catalog, answer_document, load_catalog
from tests.estimator.questions import FIXED, REQUESTS, TABLE, Document, label
from tests.formula_text import evaluate, names

BASES = {"counted", "derived", "measured", "assumed"}
TRAINING = ["load", "forward", "loss", "backward", "optimizer_step"]
SERVING = ["load", "prefill", "decode"]
GENERATING = ("grpo", "ppo")  # what they learn from is generated first


def check_lines(answered: Document, catalog: Catalog) -> None:
    """Every line of every moment: text, bytes, source, basis; and the sums over them."""
    for moment in answered["moments"]:
        assert moment["bytes"] == sum(line["bytes"] for line in moment["lines"])
        for line in moment["lines"]:
            assert evaluate(line["formula"], line["terms"]) == line["bytes"], line
            assert names(line["formula"]) == set(line["terms"]), line
            assert isinstance(line["bytes"], int)
            assert line["bytes"] > 0, line
            assert line["basis"] in BASES
            assert catalog.sources.get(line["source"]), line


def check_peak(answered: Document) -> None:
    """The peak is the largest moment, within its range."""
    largest = max(answered["moments"], key=lambda moment: moment["bytes"])
    peak = answered["peak"]
    assert (peak["moment"], peak["bytes"]) == (largest["name"], largest["bytes"])
    assert 0 < peak["low_bytes"] <= peak["bytes"] <= peak["high_bytes"]
    assert 0 < answered["counted_bytes"] <= peak["bytes"]


def check_opinions(answered: Document, catalog: Catalog) -> None:
    """Second opinions are written out too; one that names cards only has no formula."""
    for opinion in answered["second_opinions"]:
        assert catalog.sources.get(opinion["source"]), opinion
        assert opinion["note"]
        if opinion["bytes"] is None:
            assert (opinion["formula"], opinion["terms"]) == ("", {})
        else:
            assert evaluate(opinion["formula"], opinion["terms"]) == opinion["bytes"], opinion
            assert names(opinion["formula"]) == set(opinion["terms"]), opinion


def check(request: Document) -> None:
    """The whole document of one answer."""
    catalog = load_catalog()
    answered = answer_document(request, catalog)
    assert answered["error"] is None, answered["error"]
    names_of_moments = [moment["name"] for moment in answered["moments"]]
    usual = TRAINING if request["task"] == "train" else SERVING
    if request.get("objective") in GENERATING:
        usual = [*usual[:1], *SERVING[1:], *usual[1:]]
    assert names_of_moments == usual
    check_lines(answered, catalog)
    check_peak(answered)
    check_opinions(answered, catalog)
    for assumption in answered["assumed"]:
        assert catalog.sources.get(assumption["source"]), assumption
        assert assumption["value"]
        assert assumption["why"]
    json.dumps(answered, allow_nan=False)


def test_the_table_is_wide() -> None:
    assert len({label(request) for request in TABLE}) >= 60


@pytest.mark.parametrize("request_", TABLE, ids=label)
def test_text_equals_number(request_: Document) -> None:
    check(request_)


@given(request=REQUESTS)
@FIXED
def test_text_equals_number_of_anything_asked(request: Document) -> None:
    check(request)
