"""Programs that train: what one sets by itself is taken, and the rest is said to be aside."""

import pytest

from bot.ask import Refused, Replied, Weighed, open_desk
from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.reading import Reading
from estimator import load_catalog

DESK = open_desk()
READER = Reader(load_locale(), load_catalog())
TRAINERS = ("axolotl", "trl", "llamafactory", "LLaMA-Factory", "hf trainer",
            "the HF Trainer", "sfttrainer", "hf accelerate")  # fmt: skip


def read(line: str) -> Reading:
    """The reading of `line`, which its canonical line says as well."""
    reading = READER.read(line)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)
    return reading


@pytest.mark.parametrize(
    "line",
    [
        "train 8b lora unsloth liger seq 32k",
        "unsloth 8b qlora bs 2",
        "train llama 3.1 8b full with unsloth",
        "8b lora, unsloth",
        "how much vram do I need to finetune 8b with unsloth",
    ],
)
def test_unsloth_is_a_framework_and_it_is_said(line: str) -> None:
    reading = read(line)
    assert reading.fields["framework"] == "unsloth"
    assert [note for note in reading.notes if "`unsloth`: counted by its own code" in note]


@pytest.mark.parametrize(
    ("words", "checkpointing"),
    [
        ("no checkpointing", "none"),
        ("grad ckpt,", "full"),
        ("selective checkpointing", "selective"),
        ("checkpoint every 2", "every_2"),
        ("offloaded checkpointing", "offloaded"),
    ],
)
def test_another_checkpointing_that_is_named_stays(words: str, checkpointing: str) -> None:
    for line in (f"train 8b {words} lora unsloth", f"train 8b unsloth lora {words}"):
        reading = read(line)
        assert reading.fields["checkpointing"] == checkpointing
        assert reading.fields["framework"] == "unsloth"
        assert any("`unsloth`: counted by its own code" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("word", "framework"),
    [
        ("litgpt", "litgpt"),
        ("lit-gpt", "litgpt"),
        ("litgpt 2023", "litgpt-2023"),
        ("torchtune", "torchtune"),
        ("Unsloth", "unsloth"),
    ],
)
def test_a_framework_with_code_of_its_own_is_a_field(word: str, framework: str) -> None:
    for line in (f"train 8b lora bs 2 {word}", f"train 8b qlora with {word}"):
        assert read(line).fields["framework"] == framework
    assert "framework" not in read(f"infer 8b {word}").fields


@pytest.mark.parametrize("words", ["litgpt torchtune", "unsloth and torchtune", "litgpt unsloth"])
def test_two_frameworks_cannot_both_train(words: str) -> None:
    with pytest.raises(NotUnderstoodError, match="cannot both hold") as caught:
        read(f"train 8b lora {words}")
    assert caught.value.code == "contradiction"
    assert {"framework" in line for line in caught.value.lines[:2]} == {True}


def test_a_trainer_beside_a_framework_is_left_aside() -> None:
    reading = read("train 8b lora torchtune axolotl")
    assert reading.fields["framework"] == "torchtune"
    assert any("Left aside: `axolotl`. The code of torchtune" in one for one in reading.notes)


@pytest.mark.parametrize(
    "words",
    ["unsloth checkpointing", "checkpointing unsloth", "use_gradient_checkpointing='unsloth'",
     "gradient checkpointing unsloth", "unsloth gradient checkpointing", "grad ckpt: unsloth"],
)  # fmt: skip
def test_the_checkpointing_by_its_whole_name_needs_no_note(words: str) -> None:
    reading = read(f"train 8b lora {words}")
    assert reading.fields["checkpointing"] == "unsloth"
    assert not reading.notes


@pytest.mark.parametrize("name", ["unsloth/llama-3-8b-bnb-4bit", "unsloth/Llama-3.1-8B-Instruct"])
def test_who_published_a_model_does_not_train_it(name: str) -> None:
    assert "checkpointing" not in read(f"train {name} lora").fields


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_trainer_changes_nothing_and_is_said(trainer: str) -> None:
    plain = read("train 8b lora bs 2")
    for line in (f"train 8b lora bs 2 {trainer}", f"{trainer}: 8b lora bs 2"):
        reading = read(line)
        assert dict(reading.fields) == dict(plain.fields)
        assert len(reading.notes) == 1
        assert "Left aside" in reading.notes[0]


def test_each_trainer_is_named() -> None:
    (note,) = read("train 8b lora trainer: trl, axolotl").notes
    assert "`trainer`, `trl`, `axolotl`" in note


def test_peft_beside_a_method_is_a_library_and_alone_a_method() -> None:
    assert read("train 8b peft").fields["method"] == "lora"
    for method in ("qlora", "dora", "full"):
        reading = read(f"train 8b {method} peft")
        assert reading.fields["method"] == method
        assert "Left aside: `peft`" in reading.notes[0]


def test_unsloth_in_serving_is_left_aside() -> None:
    reading = read("infer 8b unsloth q4_k_m")
    assert "checkpointing" not in reading.fields
    assert any("unsloth" in note for note in reading.notes)


def test_unsloth_denied_is_asked_about() -> None:
    with pytest.raises(NotUnderstoodError, match="without unsloth"):
        READER.read("train 8b lora without unsloth")


@pytest.mark.parametrize(
    ("line", "frameworks"),
    [
        ("train 7B lora unsloth vs transformers", ["transformers", "unsloth"]),
        ("train 7B lora unsloth vs axolotl", ["transformers", "unsloth"]),
        ("train 7B lora torchtune vs litgpt", ["litgpt", "torchtune"]),
        ("is unsloth lighter than trl for 7B qlora", ["transformers", "unsloth"]),
    ],
)
def test_trainers_are_compared_where_code_of_their_own_is_counted(
    line: str, frameworks: list[str]
) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed)
    sides = [side.fields["framework"] for side in found.sides if isinstance(side, Replied)]
    assert sorted(sides) == frameworks


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("unsloth vs transformers", "unsloth vs transformers 7B"),
        ("ollama vs vllm", "ollama vs vllm 7B"),
    ],
)
def test_programs_compared_without_a_model_ask_for_one(line: str, offered: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert (found.code, found.refusal.lines[0]) == ("no_model", offered)


def test_trainers_that_change_nothing_are_said_to() -> None:
    found = DESK.ask("axolotl vs trl")
    assert isinstance(found, Refused)
    assert "changes nothing" in found.refusal.wrong
