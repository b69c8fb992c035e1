"""Classes of cards beside those that were named: the same question of equal ones."""

from estimator import Answer, answer, load_catalog, parse_request
from estimator.setup import ServeSetup
from tests.estimator.questions import serve

CATALOG = load_catalog()


def answered(**fields: object) -> Answer:
    return answer(parse_request(serve(**fields)), CATALOG)


def test_classes_are_judged_in_the_format_that_was_taken() -> None:
    """A setting implies the engine, which by its name would have another usual format."""
    found = answered(model="meta-llama/Llama-3.1-70B", world=13, kv="fp32", context=256)
    assert isinstance(found.setup, ServeSetup)
    assert found.setup.engine.id == "llama.cpp"
    assert {card.needed_bytes for card in found.cards} == {found.estimate.peak.bytes}
    cards = [{"id": "rtx-4090", "count": 12}, {"id": "rtx-3090", "count": 1}]
    named = answered(model="meta-llama/Llama-3.1-70B", gpus=cards, kv="fp32", context=256)
    classes = {card.needed_bytes for card in named.cards if not card.asked}
    assert classes == {found.estimate.peak.bytes}


def test_copies_on_unequal_cards_leave_a_class_as_many_each() -> None:
    cards = [{"id": "gtx-1050-ti", "count": 3}, {"id": "class-4gb", "count": 1}]
    found = answered(engine="litgpt", dp=2, gpus=cards, weights="bf16")
    classes = {card.needed_bytes for card in found.cards if not card.asked}
    even = answered(engine="litgpt", dp=2, world=4, weights="bf16")
    assert classes == {even.estimate.peak.bytes}
