"""Options beside a line win over it, and say so; one that cannot be read is named."""

import pytest

from bot.ask import Refused, Replied, open_desk
from bot.reading.options import FACTS, Options

DESK = open_desk()

WINNING: list[tuple[str, Options, str, tuple[str, ...]]] = [
    ("7B adam lora", {"batch": 4}, "train 7B lora adamw bs 4", ()),
    ("7B adam lora bs 2", {"batch": 4}, "train 7B lora adamw bs 4", ("bs 2",)),
    ("7B lora", {"method": "lora"}, "train 7B lora", ()),
    ("7B lora", {"model": "llama 3.1 8b"}, "train meta-llama/Llama-3.1-8B lora", ("7B",)),
    ("adam", {"model": "qwen2.5 7b"}, "train Qwen/Qwen2.5-7B adamw", ()),
    (".", {"model": "7B", "method": "qlora"}, "train 7B qlora", ()),
    ("7B 8k", {"seq": 4096}, "train 7B seq 4096", ("8k",)),
    ("7B on a 3090", {"gpus": "2x4090"}, "train 7B, 2x rtx-4090", ("3090",)),
    ("7B on 2 gpus", {"gpus": "24GB"}, "train 7B, 24GB", ("2 gpus",)),
    ("7B", {"gpus": "4"}, "train 7B world 4", ()),
    ("7B adamw 8bit", {"optimizer": "lomo"}, "train 7B optimizer lomo", ("adamw 8bit",)),
    ("7B full fp32", {"precision": "pure bf16"}, "train 7B full bf16 no master", ("fp32",)),
    ("7B lora", {"checkpointing": "none"}, "train 7B lora no checkpointing", ()),
    ("7B zero2 8xH100", {"strategy": "zero3"}, "train 7B zero3, 8x h100-sxm5-80gb", ("zero2",)),
    ("unsloth/llama-9-70b", {"model": "7B"}, "train 7B", ("unsloth/llama-9-70b",)),
    ("7B full mixed", {"precision": "fp32"}, "train 7B full fp32", ("mixed",)),
    ("7B 4bit lora", {"precision": "bf16"}, "train 7B lora bf16", ("4bit",)),
    ("7B lora", {"seq": 6000}, "train 7B lora seq=6000", ()),
    ("7B lora", {"precision": "fp8", "optimizer": "adamw"}, "train 7B lora fp8, adamw", ()),
    ("7B lora bs foo", {"batch": 2}, "train 7B lora bs 2", ("bs", "foo")),
    ("foo/bar-7b lora", {"model": "7B"}, "train 7B lora", ("foo/bar-7b",)),
    (
        "7B lora total batch 32, 8 gpus",
        {"batch": 2},
        "train 7B lora bs 2 world 8",
        ("total batch 32",),
    ),
    ("7B lora 3090", {"gpus": "3090, 3090"}, "train 7B lora, 2x rtx-3090", ()),
    ("infer 7B", {"rank": 8, "method": "lora"}, "train 7B lora r=8", ("infer",)),
]
SERVING: list[tuple[str, Options, str]] = [
    ("8B q4_k_m ctx 8k", {"context": 32_768}, "infer 8B Q4_K_M ctx 32768"),
    ("8B", {"precision": "Q5_K_M", "users": 4}, "infer 8B Q5_K_M users 4"),
    ("8B 4 users", {"users": 16, "engine": "vllm"}, "infer 8B vllm users 16"),
    ("8B kv q8", {"kv": "fp8"}, "infer 8B kv fp8"),
    ("8B q4 kv q8", {"kv": "fp16"}, "infer 8B Q4_K_M kv fp16"),
    ("8B exl2 4bpw", {"precision": "q4_k_m"}, "infer 8B Q4_K_M"),
    ("8B 4bpw", {"precision": "fp8"}, "infer 8B fp8"),
    ("8B", {"precision": "4.5bpw"}, "infer 8B exl2 bpw 4.5"),
    ("qwen2.5 7b max ctx", {"context": 4096}, "infer Qwen/Qwen2.5-7B ctx 4096"),
    ("8B", {"context": 4090, "users": 3060}, "infer 8B users=3060 ctx=4090"),
]
UNREADABLE: list[tuple[str, Options, str, str]] = [
    ("7B", {"gpus": "frob 4099"}, "The option `gpus`: I do not know `frob`.", "train 7B"),
    ("7B lora", {"model": "mistrol"}, "Did you mean `mistral`?",
     "train mistralai/Mistral-7B-v0.3 lora"),
    ("7B", {"model": "foo/xyzzy-0"}, "I know no model called `foo/xyzzy-0`.",
     "train 7B"),
    ("7B", {"optimizer": "foopt"}, "The option `optimizer`: I do not know `foopt`.", "train 7B"),
    ("7B", {"precision": "lora"}, "The option `precision`: I cannot read `lora` here.", "train 7B"),
    ("7B", {"gpus": "@everyone"}, "The option `gpus`: There is nothing to read.", "train 7B"),
    ("7B qlora", {"precision": "fp32"}, "`qlora` and `fp32` cannot both", "train 7B lora fp32"),
    ("13B full 8bit", {"optimizer": "paged_adamw"}, "`int8` weights are frozen",
     "train 13B qlora paged_adamw"),
    ("7B", {"model": "7B " * 2000}, "The option `model`: At most 100 characters", "train 7B"),
    ("7B", {"gpus": "\ufdfa" * 90}, "The option `gpus`: At most 100 characters", "train 7B"),
    ("7B", {"batch": 0}, "`batch` is a whole number from 1 up, not `0`.", "train 7B"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "line", "outdone"), WINNING)
def test_an_option_wins(text: str, options: Options, line: str, outdone: tuple[str, ...]) -> None:
    replied = DESK.ask(text, {"task": "train", **options})
    assert isinstance(replied, Replied)
    assert replied.presentation.line == line
    said = "".join(note for note in replied.notes if "wins over" in note)
    assert bool(said) == bool(outdone)
    assert all(f"`{word}`" in said for word in outdone)
    assert ("option" in said) == (bool(outdone) and outdone != ("infer",))


@pytest.mark.parametrize(("text", "options", "line"), SERVING)
def test_an_option_wins_in_serving(text: str, options: Options, line: str) -> None:
    replied = DESK.ask(text, {"task": "infer", **options})
    assert isinstance(replied, Replied)
    assert replied.presentation.line == line


@pytest.mark.parametrize(("text", "options", "wrong", "line"), UNREADABLE)
def test_an_option_that_cannot_be_read_is_named(
    text: str, options: Options, wrong: str, line: str
) -> None:
    refused = DESK.ask(text, {"task": "train", **options})
    assert isinstance(refused, Refused)
    assert wrong in refused.refusal.wrong
    assert refused.refusal.lines[0] == line


@pytest.mark.parametrize(
    ("text", "options"),
    [("8B awq vllm", {"precision": "q4_k_m"}), ("8B q4_k_m", {"engine": "vllm"})],
)
def test_a_format_that_the_engine_has_not_is_kept_with_one_that_has_it(
    text: str, options: Options
) -> None:
    refused = DESK.ask(text, {"task": "infer", **options})
    assert isinstance(refused, Refused)
    assert refused.refusal.lines[:2] == ("infer 8B Q4_K_M llama.cpp", "infer 8B Q4_K_M ollama")


def test_a_method_is_never_offered_as_a_format() -> None:
    refused = DESK.ask("7B qlora", {"task": "train", "precision": "bf16"})
    assert isinstance(refused, Refused)
    assert refused.refusal.lines[0] == "train 7B lora bf16"
    assert not any("bf16 bf16" in line for line in refused.refusal.lines)


def test_the_line_of_an_answer_holds_its_options() -> None:
    given: Options = {"task": "train", "gpus": "2x4090", "batch": 4, "optimizer": "adamw_8bit"}
    replied = DESK.ask("7B lora", given)
    assert isinstance(replied, Replied)
    again = DESK.ask(replied.presentation.line)
    assert isinstance(again, Replied)
    assert again.answer.estimate == replied.answer.estimate


def test_nothing_but_the_task_is_nothing_to_read() -> None:
    for task in ("train", "infer"):
        refused = DESK.ask(" ", {"task": task})
        assert isinstance(refused, Refused)
        assert refused.code == "empty"
        assert refused.refusal.lines[0].startswith(task)


def test_every_option_of_the_commands_is_known() -> None:
    for task in ("train", "infer"):
        named = set(DESK.locale.commands[task].options) - {"query", "private"}
        assert named <= set(FACTS)
