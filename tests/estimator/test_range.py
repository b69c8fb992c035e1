"""The range of a peak: from what is not on PyTorch's books, and from what was left open."""

import pytest

from estimator import Answer, Book, answer, load_catalog, parse_request
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
    tensors = [line for line in peak.lines if line.book is Book.TENSORS]
    assert all(line.low_bytes is None and line.high_bytes is None for line in tensors)
    assert found.low_bytes < peak.bytes < found.high_bytes


def test_the_range_reaches_to_what_cuda_keeps_of_an_activation_written_out() -> None:
    # GPT-2: three of the four tensors that its activation keeps, 2 bytes wider, 12 blocks of 3072
    ask: dict[str, object] = {"model": "openai-community/gpt2", "method": "full", "master": "none"}
    ask |= {"weights": "fp32", "checkpointing": "none", "batch": 2, "seq": 512}

    def kept(**more: object) -> tuple[int, int | None, bool]:
        found = answered(**ask, **more)
        lines = {line.key: line for line in found.estimate.moments[1].lines}
        said = any("`pow`" in sentence for sentence in found.warnings)
        return lines["activations"].bytes, lines["activations"].high_bytes, said

    middle, high, said = kept(autocast=True)
    assert high == middle + 1024 * 12 * 3072 * 3 * 2
    assert said
    assert kept(autocast=False)[1:] == (None, False)


def test_what_a_card_holds_back_is_listed_apart() -> None:
    (card, *_) = answered(model="7B", method="lora", gpus=[{"id": "a100-80gb"}]).cards
    held = {part.key: part for part in card.held_back}
    assert set(held) == {"cuda_context", "margin"}
    assert card.total_bytes - sum(part.bytes for part in held.values()) == card.usable_bytes
    assert {part.basis for part in held.values()} <= {"measured", "assumed"}
