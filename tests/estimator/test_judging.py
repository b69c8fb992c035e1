"""How a question goes into its cards: as its whole answer says, model by model and together."""

from typing import Any

import pytest

from estimator import Verdict, answer, load_catalog, parse_request
from estimator.judging import Judging

CATALOG = load_catalog()
JUDGE = Judging(CATALOG)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"task": "train", "model": "7B", "method": "lora", "gpus": [{"id": "rtx-4090"}]},
    {"task": "train", "model": "7B", "method": "full", "gpus": [{"id": "class-24gb"}]},
    {"task": "train", "model": "70B", "method": "qlora", "gpus": [{"id": "a100-sxm4-80gb"}]},
    {"task": "train", "model": "1B", "gpus": [{"id": "rtx-3090"}, {"id": "rtx-3060-12gb"}]},
    {"task": "infer", "model": "14B", "weights": "gguf:Q4_K_M", "gpus": [{"id": "rtx-3060-12gb"}]},
    {"task": "infer", "model": "8B", "engine": "vllm", "gpus": [{"id": "rtx-3090"}]},
)


@pytest.mark.parametrize("fields", QUESTIONS)
def test_the_verdict_is_that_of_the_worst_card(fields: dict[str, Any]) -> None:
    request = parse_request(fields)
    cards = [card for card in answer(request, CATALOG).cards if card.asked]
    order = (Verdict.NO, Verdict.TIGHT, Verdict.FITS)
    judged = JUDGE(request)
    assert judged.verdict is min((card.verdict for card in cards), key=order.index)
    assert judged.room_bytes == min(card.room_bytes for card in cards)
    assert (judged.room_bytes >= 0) == (judged.verdict is Verdict.FITS)


@pytest.mark.parametrize("fields", QUESTIONS)
def test_the_models_that_a_size_stands_for_are_judged_apart(fields: dict[str, Any]) -> None:
    request = parse_request(fields)
    rooms = [room(request) for room in JUDGE.rooms(request)]
    assert len(rooms) > 1
    assert min(rooms) == JUDGE(request).room_bytes


def test_a_named_model_is_one() -> None:
    request = parse_request(QUESTIONS[0] | {"model": "Qwen/Qwen2.5-7B"})
    (room,) = JUDGE.rooms(request)
    assert room(request) == JUDGE(request).room_bytes


def test_where_a_server_does_not_start_nothing_fits() -> None:
    fields = {"task": "infer", "engine": "vllm", "gpus": [{"id": "rtx-3090"}], "utilization": 0.3}
    request = parse_request(fields | {"model": "meta-llama/Llama-3.2-3B", "context": 512})
    judged = JUDGE(request)
    assert judged.verdict is Verdict.NO
    assert judged.room_bytes < 0
