"""What no estimate is about: other kinds of models, prices, and what is said beside them."""

import pytest

from bot.ask import Refused, Replied, open_desk
from bot.reading.scope import NOT_LANGUAGE

DESK = open_desk()

OTHERS = {
    "flux kontext lora on a 3060 12GB with fp8_base?": "images",
    "train sdxl on a 4090": "images",
    "can a 3060 run wan 2.2": "videos",
    "whisper large v3 on 8gb": "speech",
    "GR00T finetune on 2x4090, enough?": "robot",
    "finetune yolov8 on a 3060": "sees",
    "run gpt-4 at home on 2x3090": "not published",
    "how much vram for claude": "not published",
    "which gpu should I buy for $800": "No prices",
    "best card under 500 euros?": "No prices",
}


@pytest.mark.parametrize(("line", "said"), OTHERS.items())
def test_another_kind_of_question_is_told_so(line: str, said: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.code == NOT_LANGUAGE
    assert said in found.refusal.wrong
    assert found.refusal.lines


@pytest.mark.parametrize(
    ("line", "aside"),
    [
        ("lora 7B on a card under $800", "$800"),
        ("is a 70B q4 on 2x3090 as good as gpt-4", "gpt-4"),
        ("infer llama 3.1 8b like chatgpt", "chatgpt"),
    ],
)
def test_beside_a_model_they_are_left_aside_and_said(line: str, aside: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    assert any(aside in note for note in found.notes)


@pytest.mark.parametrize(
    ("line", "engine", "said"),
    [
        ("llama 3.1 8b q4_k_m in lm studio", "llama.cpp", "runs llama.cpp"),
        ("tgi llama2-70b on 8 A10G", "vllm", "vllm stands in"),
        ("koboldcpp 13b q5_k_m 8k", "llama.cpp", "runs llama.cpp"),
        ("mistral.rs 8B q4_k_m", "llama.cpp", "llama.cpp stands in"),
        ("tabbyapi 70B exl2 4.5bpw", "exllamav2", "runs exllamav2"),
    ],
)
def test_a_server_without_an_estimate_has_one_that_stands_in(
    line: str, engine: str, said: str
) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    assert found.answer.setup.request.engine == engine
    assert any(said in note for note in found.notes)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("vram 4 7b lora pls", "train 7B lora"),
        ("trying 2 train a 7b lora", "train 7B lora"),
        ("i have 2 rtx 3090, train 7b lora fsdp", "train 7B lora fsdp, 2x rtx-3090"),
        ("we need 2 nvidia l4 to train 7b lora fsdp", "train 7B lora fsdp, 2x l4"),
        ("how much 4 a 7b qlora", "train 7B qlora"),
    ],
)
def test_numbers_that_stand_for_words(line: str, meant: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    assert found.presentation.line == meant


def test_mlx_trains_with_pytorchs_estimate_and_that_is_said() -> None:
    found = DESK.ask("7B mlx lora m3 max 128gb")
    assert isinstance(found, Replied), found.shown
    assert any("not measured here" in note for note in found.notes)


def test_cards_that_nobody_counted_are_as_many_as_they_are_split_over() -> None:
    found = DESK.ask("serve Yi-1.5-34B-Chat tp 4 on 4090s")
    assert isinstance(found, Replied), found.shown
    assert found.presentation.line.endswith("4x rtx-4090")


def test_what_a_generating_engine_reserves_is_its_share() -> None:
    found = DESK.ask("7B lora r=16 grpo gpu_memory_utilization 0.6 fp8 kv on a 80GB card")
    assert isinstance(found, Replied), found.shown
    assert "util 0.6" in found.presentation.line
    assert any("fp8 kv" in note for note in found.notes)
