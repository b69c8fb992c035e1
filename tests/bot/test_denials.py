"""What is denied is switched off, left out and said, or asked back; it is never taken for said."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog
from tests.examples import examples

READER = Reader(load_locale(), load_catalog())
BEFORE = (
    *("no {x}", "not {x}", "without {x}", "w/o {x}", "never {x}", "avoid {x}", "skip {x}"),
    *("not using {x}", "never use {x}", "without using {x}", "don't use {x}", "don’t use {x}"),
    *("I can't use {x}", "dont use {x}", "do not use {x}", "isn't using {x}", "won't be using {x}"),
    *("we do not want {x}", "cannot enable {x}", "unable to use {x}", "no need for {x}"),
    *("no longer using {x}", "disable {x}", "turn off {x}", "doesn't use any {x}"),
    *("not going to use the {x}", "I don't have {x}", "stop using {x}", "never ever use {x}"),
)
BEHIND = (
    *("{x} off", "{x} disabled", "{x}: false", "{x}=false", "{x} is off", "{x} turned off"),
    *("{x} is turned off", "{x} not used", "{x} is not used", "{x} isn't supported"),
    *("{x} doesn't work", "{x} was never enabled", "{x} is not available", "{x} unsupported"),
)
SETTINGS: dict[str, tuple[str, object]] = {
    "flash attention": ("attention", "eager"),
    "fa2": ("attention", "eager"),
    "sdpa": ("attention", "eager"),
    "gradient checkpointing": ("checkpointing", "none"),
    "grad ckpt": ("checkpointing", "none"),
    "packing": ("packing", False),
    "autocast": ("autocast", False),
}
THINGS = ("lora", "qlora", "adafactor", "lion", "muon", "fp8", "nf4", "unsloth checkpointing")
FIELDS = ("method", "optimizer", "weights", "gpus")
REST = ("bs 4", "seq 4096", "ga 2", "2x 3090", "")


def outcome(line: str) -> tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]:
    """Fields, notes and offered lines of what is read or refused."""
    try:
        reading = READER.read(line)
    except NotUnderstoodError as error:
        return error.understood, (error.message,), error.lines
    return dict(reading.fields), reading.notes, (reading.line,)


@settings(max_examples=examples(1500), deadline=None, derandomize=True)
@given(
    st.sampled_from((*BEFORE, *BEHIND)),
    st.sampled_from(sorted(SETTINGS)),
    st.sampled_from(REST),
    st.sampled_from((" ", ", ")),
)
def test_a_setting_that_is_denied_is_switched_off(
    shape: str, setting: str, rest: str, separator: str
) -> None:
    name, value = SETTINGS[setting]
    words = separator.join(filter(None, ("train 7B dora", shape.format(x=setting), rest)))
    fields, _, lines = outcome(words)
    assert fields.get(name) == value, words
    assert all(READER.read(line).fields[name] == value for line in lines)


@settings(max_examples=examples(1500), deadline=None, derandomize=True)
@given(
    st.sampled_from((*BEFORE, *BEHIND)),
    st.sampled_from(("lora", "qlora", "adafactor", "lion", "muon", "fp8", "vera", "gptq")),
    st.sampled_from(REST),
)
def test_what_has_no_opposite_is_left_out_and_said(shape: str, thing: str, rest: str) -> None:
    words = ", ".join(filter(None, ("train 7B", shape.format(x=thing), rest)))
    fields, said, lines = outcome(words)
    given = {str(fields.get(name)) for name in FIELDS}
    assert thing not in given, words
    assert any(thing in note for note in said), words
    for line in lines:
        again = READER.read(line).fields
        assert thing not in {str(again.get(name)) for name in FIELDS}, words


@pytest.mark.parametrize("shape", [s for s in BEFORE if "turn" not in s])
@pytest.mark.parametrize("card", ["3090", "a 3090", "2x 3090", "24gb"])
def test_a_card_that_is_denied_is_no_card(shape: str, card: str) -> None:
    words = f"infer 7B q4, {shape.format(x=card)} but a 4090"
    fields, said, _ = outcome(words)
    assert fields["gpus"] == [{"id": "rtx-4090", "count": 1}], words
    assert any(card in note for note in said)


TABLE: dict[str, dict[str, Any]] = {
    "lora not on a 3090 but a 4090": {"method": "lora", "gpus": "rtx-4090"},
    "not lora but qlora": {"method": "qlora"},
    "no dropout, lora": {"lora_dropout": 0},
    "lora, no gradient accumulation": {"accumulation": 1},
    "lora without flash or packing": {"attention": "eager", "packing": False},
    "lora, neither flash attention nor packing": {"attention": "eager", "packing": False},
    "lora no flash, grad ckpt": {"attention": "eager", "checkpointing": "full"},
    "lora no flash and bs 4": {"attention": "eager", "batch": 4},
    "lora grad ckpt disabled bs 4": {"checkpointing": "none", "batch": 4},
    "lora grad ckpt no flash": {"checkpointing": "full", "attention": "eager"},
    "without adam but sgd": {"optimizer": "sgd"},
    "fp16: false, bf16: true": {"weights": "bf16"},
}


@pytest.mark.parametrize(("words", "expected"), TABLE.items())
def test_how_far_a_denial_reaches(words: str, expected: dict[str, Any]) -> None:
    fields = dict(READER.read(f"train 7B {words}").fields)
    if "gpus" in fields:
        (card,) = fields["gpus"]
        fields["gpus"] = card["id"]
    assert {name: fields.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "line",
    [
        "isn't a 3090 enough for 7B lora?",
        "doesn't 7B lora fit on a 3090?",
        "won't a 3090 do for 7B lora",
        "why can't I train 7B lora on a 3090",
        "why not train 7B with lora on a 3090",
        "7B lora not enough vram on 3090",
        "is it not possible to train 7B lora on my 3090",
        "will a 7b lora fit on a 3090 or not",
        "7B lora, no, on a 3090",
        "not sure if my 3090 fits a 7B lora",
    ],
)
def test_a_question_that_doubts_denies_nothing(line: str) -> None:
    fields = READER.read(line).fields
    assert fields["method"] == "lora"
    assert fields["gpus"] == [{"id": "rtx-3090", "count": 1}]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("train 7B lora without flash attention and grad ckpt", "no grad ckpt"),
        ("train 7B, isn't lora enough", "lora"),
        ("train 7B lora no flash and packing", "no packing"),
    ],
)
def test_where_it_may_be_meant_either_way_it_is_asked(line: str, offered: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == "ambiguous"
    assert any(line.endswith(offered) for line in caught.value.lines)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("train 7B without adam", "train 7B sgd"),
        ("train 7B not full finetune", "train 7B lora"),
        ("train 7B full not bf16", "train 7B full fp32"),
        ("infer 8B without vllm", "infer 8B llama.cpp"),
        ("train 7B lora not ddp, 8 gpus", "train 7B lora fsdp world 8"),
    ],
)
def test_what_is_the_default_is_offered_as_something_else(line: str, offered: str) -> None:
    for asked in (line, f"how much do i need to {line}"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(asked)
        assert "says what it is not" in caught.value.message
        assert offered in caught.value.lines


@pytest.mark.parametrize("words", ["no kv cache", "without a kv cache", "no context"])
def test_a_key_that_is_denied_is_said(words: str) -> None:
    fields, said, _ = outcome(f"infer 7B fp16 {words}")
    assert fields == {"task": "infer", "model": "7B", "weights": "fp16"}
    assert any(words in note for note in said)


@pytest.mark.parametrize("words", ["I don't have a gpu", "we have no gpus", "without any gpu"])
def test_no_card_is_a_cpu_alone(words: str) -> None:
    assert READER.read(f"infer 7B q4, {words}").line == "infer 7B Q4_K_M ngl 0"
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer 7B awq, {words}")
    assert caught.value.code == "unsupported"
