"""Which picture an answer gets, and that it says what the answer says."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.ask import Desk, open_desk
from bot.command_line import main
from bot.explaining.topics import load_topics
from bot.pictures.choosing import has_picture, picture_of
from bot.pictures.drawing import SCALE, draw
from bot.pictures.palette import GROUND
from bot.pictures.parts import part_of
from bot.pictures.picture import Part, Picture
from bot.pictures.vega import WIDTH, specification
from bot.replies import Explained, Replied
from bot.surface.limits import MOST_ALT
from estimator import show_gib, show_gib_number

SMALLEST = 11  # points of letters on a phone: what its own smallest captions have
EDGE = 2  # points at each side where nothing is drawn, so nothing is cut
MOST_OTHER = 0.3  # of a peak that may have no name of its own
LINES = (
    "train 7B adam lora",
    "train 8B full",
    "train 8B qlora on a 3090",
    "train 70B qlora fsdp 2x3090",
    "train 7B full seq 8192 batch 4 fsdp 8xh100",
    "train 7B lora dpo",
    "train gpt2",
    "infer 8B",
    "infer 70B q4 on 2x3090",
    "infer qwen2.5 7b on 4x3090 32 users",
    "infer deepseek-v3",
    "infer 8B on a 3090 max context",
    "lora vs qlora vs full 7B",
    "awq vs gptq vs fp8 llama 3.1 8b on a 4090",
    "compare lora vs qlora vs full llama 3.1 8b, mistral 7b",
    "explain zero_stages",
    "explain kv cache",
    "explain dora",
    "explain several_cards",
)


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def pictured(desk: Desk, line: str) -> Picture:
    picture = picture_of(desk.ask(line), desk.catalog, desk.locale)
    assert picture is not None
    return picture


def answered(desk: Desk, line: str) -> Replied:
    found = desk.ask(line)
    assert isinstance(found, Replied)
    return found


def names(picture: Picture) -> list[str]:
    return [bar.name for bar in picture.bars]


def texts(picture: Picture) -> list[dict[str, Any]]:
    """Every text that is drawn."""
    data = json.loads(specification(picture))["data"]
    return [one for each in data if each["name"].startswith("text") for one in each["values"]]


def test_training_shows_its_moments(desk: Desk) -> None:
    picture, found = pictured(desk, "train 7B adam lora"), answered(desk, "train 7B adam lora")
    estimate = found.answer.estimate
    assert names(picture) == ["Loading", "Forward", "Loss", "Backward", "Step"]
    assert [bar.bytes for bar in picture.bars] == [moment.bytes for moment in estimate.moments]
    assert [bar.name for bar in picture.bars if bar.strong] == ["Loss"]
    assert {limit.name for limit in picture.limits} == {"20 GB", "24 GB"}


def test_training_on_cards_shows_the_peak_above_them(desk: Desk) -> None:
    line = "train 8B qlora on a 3090"
    picture, found = pictured(desk, line), answered(desk, line)
    needed, *cards = picture.bars
    assert needed.name == "Needed"
    assert needed.bytes == found.answer.estimate.peak.bytes
    (asked,) = (card for card in cards if card.strong)
    (card,) = (card for card in found.answer.cards if card.asked)
    assert asked.name == "RTX 3090"
    assert asked.room_bytes == card.usable_bytes
    assert asked.amount == f"{show_gib_number(card.usable_bytes)} yes"
    assert [one.bytes for one in picture.limits] == [needed.bytes]


def test_serving_shows_the_peak_by_context(desk: Desk) -> None:
    picture = pictured(desk, "infer 8B")
    assert names(picture) == ["2k", "8k", "32k", "128k"]
    assert [bar.name for bar in picture.bars if bar.strong] == ["8k"]
    for bar, context in zip(picture.bars, ("2k", "8k", "32k", "128k"), strict=True):
        alone = answered(desk, f"infer 8B ctx {context}")
        assert bar.bytes == alone.answer.estimate.peak.bytes


def test_a_context_that_was_sought_is_among_them(desk: Desk) -> None:
    found = answered(desk, "infer 8B on a 3090 max context")
    assert found.answer.solved is not None
    picture = pictured(desk, "infer 8B on a 3090 max context")
    (strong,) = (bar for bar in picture.bars if bar.strong)
    assert strong.bytes == found.answer.estimate.peak.bytes
    assert any(limit.name == "RTX 3090" for limit in picture.limits)


def test_where_a_context_changes_nothing_cards_are_shown(desk: Desk) -> None:
    assert names(pictured(desk, "infer mamba 2.8b"))[0] == "Needed"


def test_a_comparison_shows_each_side(desk: Desk) -> None:
    picture = pictured(desk, "lora vs qlora vs full 7B")
    assert names(picture) == ["qlora", "lora", "full"]
    alone = [answered(desk, f"train 7B {name}").answer for name in names(picture)]
    assert [bar.bytes for bar in picture.bars] == [one.estimate.peak.bytes for one in alone]


def test_a_topic_shows_its_examples(desk: Desk) -> None:
    picture, found = pictured(desk, "explain methods"), desk.ask("explain methods")
    assert isinstance(found, Explained)
    assert picture.title == found.explanation.title
    assert names(picture) == ["full", "lora", "qlora"]
    assert [bar.bytes for bar in picture.bars] == [one.estimate.peak.bytes for one in found.answers]


def test_a_topic_of_lengths_shows_memory_by_context(desk: Desk) -> None:
    picture = pictured(desk, "what is context length?")
    assert picture.title == "Context length: 8B"
    assert names(picture) == ["2k", "8k", "32k", "128k"]


def test_bars_of_topics_have_names_of_their_own(desk: Desk) -> None:
    found = [desk.guide.topic(topic) for topic in load_topics().topics]
    drawn = [one for one in found if one is not None and has_picture(one)]
    assert len(drawn) * 3 > len(found) * 2
    for one in drawn:
        picture = picture_of(one, desk.catalog, desk.locale)
        assert picture is not None
        assert len({*names(picture)}) == len(picture.bars)
        assert all(names(picture))


@pytest.mark.parametrize(
    "line",
    [
        "what fits on a 3090",
        "explain vllm",
        "explain topics",
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        "train 7C",
        "infer 8B on cpu",
        "hello",
    ],
)
def test_others_have_none(desk: Desk, line: str) -> None:
    found = desk.ask(line)
    assert not has_picture(found)
    assert picture_of(found, desk.catalog, desk.locale) is None


@pytest.mark.parametrize("line", LINES)
def test_the_words_state_the_totals(desk: Desk, line: str) -> None:
    picture, found = pictured(desk, line), desk.ask(line)
    assert len(picture.alt) <= MOST_ALT
    for bar in picture.bars:
        assert bar.name in picture.alt
        assert show_gib_number(bar.bytes) in picture.alt
    if isinstance(found, Replied) and "by context" not in picture.subtitle:
        assert show_gib(found.answer.estimate.peak.bytes) in picture.alt


@pytest.mark.parametrize("line", LINES)
def test_letters_are_large_enough_for_a_phone(desk: Desk, line: str) -> None:
    picture = pictured(desk, line)
    assert WIDTH == 300
    assert min(text["fontSize"] for text in texts(picture)) >= SMALLEST


@pytest.mark.parametrize("line", LINES)
def test_nothing_is_cut_off(desk: Desk, line: str) -> None:
    edges_are_bare(pictured(desk, line))


def test_the_longest_there_is_fits(desk: Desk) -> None:
    picture = pictured(desk, "lora vs qlora 7B")
    bars = tuple(
        type(bar)("W" * 96, "888,888.88 unlikely", bar.pieces, strong=True) for bar in picture.bars
    )
    for long_names in (False, True):
        edges_are_bare(
            Picture(
                "W" * 300,
                "W" * 300,
                bars * 4,
                tuple(type(one)("W" * 40, one.bytes) for one in picture.limits),
                tuple(type(one)(one.part, "W" * 60) for one in picture.labels),
                "W" * 60,
                "",
                long_names=long_names,
            )
        )


def edges_are_bare(picture: Picture) -> None:
    """Whether the outermost points are all ground, as where no letter reaches them."""
    with Image.open(io.BytesIO(draw(specification(picture)))) as drawn:
        image = drawn.convert("RGB")
    assert image.width == WIDTH * SCALE
    width = int(EDGE * SCALE)
    bare = Image.new("RGB", (width, image.height), GROUND)
    for left in (0, image.width - width):
        edge = image.crop((left, 0, left + width, image.height))
        assert edge.tobytes() == bare.tobytes()
    bottom = image.crop((0, image.height - width, image.width, image.height))
    assert len(bottom.getcolors(9) or ()) == 1


@pytest.mark.parametrize("line", LINES)
def test_most_of_a_peak_has_a_name(desk: Desk, line: str) -> None:
    found = desk.ask(line)
    if isinstance(found, Replied):
        peak = found.answer.estimate.peak
        other = sum(one.bytes for one in peak.lines if part_of(one.key) is Part.OTHER)
        assert other <= MOST_OTHER * peak.bytes


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("weights_nf4_dq", Part.WEIGHTS),
        ("reference_weights", Part.WEIGHTS),
        ("optimizer_momentum", Part.OPTIMIZER),
        ("value_optimizer_variance", Part.OPTIMIZER),
        ("optimizer_temporaries", Part.OTHER),
        ("draft_kv_cache", Part.CACHE),
        ("prompt_logits", Part.LOGITS),
        ("head_gradient", Part.LOGITS),
        ("embedding_gradient", Part.GRADIENTS),
        ("backward_temporaries", Part.ACTIVATIONS),
        ("unheard_of", Part.OTHER),
    ],
)
def test_lines_belong_to_parts(key: str, part: Part) -> None:
    assert part_of(key) is part


def test_equal_questions_are_one_picture(desk: Desk) -> None:
    once, again = (pictured(desk, line) for line in ("train 7B adam lora", "lora 7B train adam"))
    assert specification(once) == specification(again)


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "picture.png"
    assert main(["picture", "train", "7B", "adam", "lora", "-o", str(file)]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.startswith("Bar chart. Training 7B, lora: Peak 15.7 GiB")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("what fits on a 3090", "has no picture"),
        ("train 7C", "Which model?"),
        ("train 7B", "cannot be written"),
    ],
)
def test_the_command_says_why_there_is_none(
    line: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["picture", line, "-o", str(tmp_path / "no" / "picture.png")]) == 2
    output = capsys.readouterr()
    assert said in output.err
    assert output.out == ""


def test_what_cannot_be_printed_is_not_drawn(desk: Desk) -> None:
    """A control character ends the process that draws."""
    picture = replace(pictured(desk, "train 7B lora"), title="a\x00b\x07c\u202ed")
    assert "abcd" in [one["text"] for one in texts(picture)]
    assert draw(specification(picture))


def test_a_verdict_stands_behind_the_unit_in_words(desk: Desk) -> None:
    words = pictured(desk, "train 8B qlora on a 3090").alt
    assert "RTX 3090 22.95 GiB (yes)" in words
    assert ": ." not in words
