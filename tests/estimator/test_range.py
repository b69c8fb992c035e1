"""The range of a peak: from what is not on PyTorch's books, and from what was left open."""

import pytest

from estimator import Answer, answer, load_catalog, parse_request
from tests.estimator.questions import train

CATALOG = load_catalog()


def answered(**fields: object) -> Answer:
    return answer(parse_request(train(**fields)), CATALOG)


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
@pytest.mark.parametrize(
    ("size", "model"),
    [("7B", "mistralai/Mistral-7B-v0.3"), ("8B", "Qwen/Qwen3-8B"), ("3B", "Qwen/Qwen2.5-3B")],
)
def test_a_named_model_narrows_the_range(size: str, model: str, method: str) -> None:
    # checkpointing as the bare size has it, so that only the model is settled
    left_open = answered(model=size, method=method, checkpointing="full").estimate
    named = answered(model=model, method=method, checkpointing="full").estimate
    assert left_open.low_bytes <= named.low_bytes <= named.high_bytes <= left_open.high_bytes
    width = left_open.high_bytes - left_open.low_bytes
    assert named.high_bytes - named.low_bytes < width


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_the_range_is_what_is_not_on_the_books(method: str) -> None:
    found = answered(model="meta-llama/Llama-3.1-8B", method=method).estimate
    peak = found.peak
    on_books = [line for line in peak.lines if line.on_books]
    assert all(line.low_bytes is None and line.high_bytes is None for line in on_books)
    assert found.low_bytes < peak.bytes < found.high_bytes


def test_what_a_card_holds_back_is_listed_apart() -> None:
    (card, *_) = answered(model="7B", method="lora", gpus=[{"id": "a100-80gb"}]).cards
    held = {part.key: part for part in card.held_back}
    assert set(held) == {"cuda_context", "margin"}
    assert card.total_bytes - sum(part.bytes for part in held.values()) == card.usable_bytes
    assert {part.basis for part in held.values()} <= {"measured", "assumed"}
