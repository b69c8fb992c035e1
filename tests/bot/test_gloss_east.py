"""Chinese, Japanese and Korean: where words are not kept apart, and what is left aside."""

import pytest

from bot.ask import Desk, Explained, Replied, Weighed, open_desk
from bot.reading.clean import clean
from bot.reading.facts import Said
from bot.reading.gloss import gloss


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def glossed(text: str) -> str:
    return " ".join(gloss(clean(text), Said()).split())


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("노트북 4060 8기가로 라마3 8b", "laptop 4060 8GB llama 3 8b"),  # 로 라 is no 로라
        ("풀 로라", "full lora"),
        ("파인 튜닝", "finetune"),
        ("파인튜닝", "finetune"),
        ("미세조정", "finetune"),  # 세조 is no number
        ("batch，512长度", "batch, 512 seq"),
        ("上下文3万2千", "context 32000"),
        ("張量並行4", "tp 4"),
        ("GPU4枚（各24GB）で", "4x 24GB"),
        ("4090ㅠㅠ", "4090"),
    ],
)
def test_phrases_end_where_words_do(text: str, english: str) -> None:
    assert glossed(text) == english


def test_what_is_left_aside_is_shown_in_the_letters_that_were_typed() -> None:
    said = Said()
    gloss(clean("7B 鑰匙 lora"), said)
    assert [one.text for one in said.unread] == ["鑰匙"]


@pytest.mark.parametrize(
    "text",
    [
        "为啥训练比推理多吃那么多显存？",
        "学習時になんで推論よりメモリ食うの",
        "왜 학습할때가 추론할때보다 더 먹나요",
    ],
)
def test_why_is_explained(desk: Desk, text: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Explained)
    assert found.topic == "sixteen_bytes"


@pytest.mark.parametrize(
    "text",
    [
        "7b全参 adamw换成8bit的能省多少",
        "7BフルでAdamWを8bitにしたら何GB減る？",
        "7b 풀파튜 adamw를 8비트로 바꾸면 몇기가 줄어요",
    ],
)
def test_one_changed_for_another_is_two(desk: Desk, text: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Weighed)
    asked = [s.answer.request.model_dump() for s in found.sides if isinstance(s, Replied)]
    optimizers = [fields["optimizer"] for fields in asked]
    assert optimizers == ["adamw", "adamw_8bit"]


@pytest.mark.parametrize("text", ["没有显卡 7b q8", "GPUなしで7B q8", "글카 없이 7b q8 추론"])
def test_a_computer_without_a_card_runs_it_by_its_processor(desk: Desk, text: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Replied)
    assert found.fields["gpu_layers"] == 0
    assert "No card needed" in found.presentation.headline
