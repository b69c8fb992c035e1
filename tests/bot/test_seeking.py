"""The most that the cards allow, in words: what is sought, and of which task."""

from typing import Any

import pytest

from bot.ask import Refused, Replied, Weighed, open_desk
from bot.locale import load_locale
from bot.reading.read import Reader
from estimator import load_catalog

DESK = open_desk()
READER = Reader(load_locale(), load_catalog())
ASKED: dict[str, dict[str, Any]] = {
    "largest batch for 7B qlora on a 4090": {"task": "train", "find": "batch", "method": "qlora"},
    "max batch size 7b qlora 4090": {"task": "train", "find": "batch"},
    "how big a batch can I use to finetune 8B lora on an a100 80gb?": {"find": "batch"},
    "what batch size for 8B lora on a 3090": {"task": "train", "find": "batch"},
    "longest seq I can train 8B lora with on 24GB": {"task": "train", "find": "seq"},
    "longest sequence length 8B qlora 4090": {"find": "seq"},
    "longest context for training 8B qlora on a 4090": {"task": "train", "find": "seq"},
    "max rank lora 7B on a 3090": {"find": "rank", "method": "lora"},
    "highest rank for 7B on a 4090": {"task": "train", "find": "rank", "method": "lora"},
    "what rank can I use for 70b qlora on an A100 80GB": {"find": "rank", "method": "qlora"},
    "largest batch 8B vllm a100 80gb": {"task": "infer", "find": "users"},
    "infer 8B q4_k_m longest seq on 3060": {"task": "infer", "find": "context"},
    "how many users can I serve llama 3.1 70b awq on 2x A100 80GB": {"find": "users"},
    "max context 8B q4_k_m 3060": {"task": "infer", "find": "context"},
    "max ctx 8B lora train 4090": {"task": "train", "find": "seq"},
    "Mistral-Nemo fp8 on a 4090, longest max-model-len at util 0.99?": {"find": "context"},
}
NUMBERS: dict[str, tuple[str, int]] = {  # with a number, the same words say just that
    "7B lora max batch size 4": ("batch", 4),
    "7B lora max rank 64": ("rank", 64),
    "7B lora max seq length 4096": ("seq", 4096),
    "infer 8B max context 8k": ("context", 8192),
    "train 7B full seq 1660": ("seq", 1660),  # no card is meant
    "train 7B full max_seq_length 2080": ("seq", 2080),
    "infer 8B q4 ctx 3090": ("context", 3090),
}


@pytest.mark.parametrize("line", ASKED)
def test_what_is_sought_is_read(line: str) -> None:
    fields = READER.read(line).fields
    assert ASKED[line].items() <= fields.items()
    again = READER.read(READER.read(line).line)
    assert again.fields == fields


@pytest.mark.parametrize("line", NUMBERS)
def test_with_a_number_nothing_is_sought(line: str) -> None:
    name, value = NUMBERS[line]
    fields = READER.read(line).fields
    assert fields[name] == value
    assert "find" not in fields


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("largest batch for llama 3.1 8B qlora on a 4090", "RTX 4090 holds a batch of up to "),
        ("largest batch 8B qlora on 2x 4090", "2× RTX 4090 hold a batch of up to "),
        ("longest seq 8B qlora 4090", "RTX 4090 holds sequences of up to "),
        ("longest seq Qwen2.5-0.5B lora h200", "as long as the model's own 32,768 tokens"),
        ("highest rank 8B qlora 4090", "RTX 4090 holds a rank of up to "),
        ("highest rank 0.5B lora h200", "the most that its layers have use for"),
    ],
)
def test_the_most_is_the_verdict(line: str, words: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert words in found.presentation.headline
    assert (" on each" in found.presentation.headline) == ("2x" in line)


def test_what_was_said_of_it_gives_way_and_that_is_said() -> None:
    found = DESK.ask("train 8B qlora bs 4 largest batch 4090")
    assert isinstance(found, Replied)
    assert "`bs 4` gives way to what is sought." in found.presentation.details


@pytest.mark.parametrize(
    ("line", "wrong", "offered"),
    [
        ("largest batch 7B lora", "name a card", "train 7B lora largest batch 24GB"),
        ("train 8B best quant 4090", "said of serving", "train 8B, rtx-4090"),
        ("infer 8B highest rank 4090", "said of training", "infer 8B, rtx-4090"),
        ("train 7B lora largest batch longest seq 3090", "cannot both hold",
         "train 7B lora longest seq, rtx-3090"),
        ("8B grpo lora longest seq on h100", "do not look for the longest",
         "train 8B lora grpo largest batch, h100-sxm5-80gb"),
    ],
)  # fmt: skip
def test_what_cannot_be_sought_is_refused_with_what_can(
    line: str, wrong: str, offered: str
) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert wrong in found.refusal.wrong
    assert offered in found.refusal.lines


@pytest.mark.parametrize(
    ("line", "first", "least"),
    [
        ("train 8B largest batch 4090", "There is no room there even for a batch of one",
         "train 8B bs 1, rtx-4090"),
        ("train 8B lora largest batch seq 4096 4090",
         "Nothing fits there with room to spare: a batch of one would be tight",
         "train 8B lora bs 1 seq 4096, rtx-4090"),
        ("infer 8B bf16 longest context 12gb",
         "There is no room there even for 256 tokens of context",
         "infer 8B bf16 ctx 256, 12GB"),
        ("infer 70B best quant 4090 vllm",
         "There is no room there even for the format with the fewest bits",
         "infer 70B awq4 vllm, rtx-4090"),
    ],
)  # fmt: skip
def test_where_nothing_fits_the_least_is_answered(line: str, first: str, least: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert found.presentation.headline.startswith(first)
    assert found.presentation.verdict.startswith(first)
    assert found.presentation.line == least


def test_a_question_back_keeps_what_can_be_answered_of_it() -> None:
    found = DESK.ask("how many users can I serve llama 70b awq on 2x A100")
    assert isinstance(found, Refused)
    assert all("llama" in line.casefold() and "awq4" in line for line in found.refusal.lines)


def test_of_several_things_the_most_of_each_is_said() -> None:
    cards = DESK.ask("how big a batch can I use for 8B lora on an A100")
    assert isinstance(cards, Weighed)
    assert cards.comparison.headline.startswith("A100 SXM4 80 GB: a batch of up to ")
    methods = DESK.ask("compare lora qlora 8B longest seq a100 80GB")
    assert isinstance(methods, Weighed)
    assert ": up to " in methods.comparison.headline
