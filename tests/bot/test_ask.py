"""The desk: every question gets an answer, or a refusal whose lines are answered."""

import json
from itertools import pairwise

import pytest

from bot.ask import Refused, Replied, open_desk
from bot.correcting import MOST_LINES

DESK = open_desk()

UNANSWERED = {
    "train 7B dora tp 2": ("unsupported", "train 7B lora tp 2"),
    "train 7B grpo liger": ("unsupported", "train 7B chunked loss grpo"),
    "train 7B grpo reference adapters off": ("contradiction", "train 7B lora grpo"),
    "train llama 3.1 8b distill": (
        "bad_request",
        "train meta-llama/Llama-3.1-8B distill, teacher meta-llama/Llama-3.1-70B",
    ),
    "train llama 3.1 8b distill, teacher qwen 2.5 72b": (
        "contradiction",
        "train meta-llama/Llama-3.1-8B distill, teacher meta-llama/Llama-3.1-70B",
    ),
    "train 7B full q4_k_m": ("contradiction", "train 7B qlora"),
    "train 7B full targets q_proj": ("contradiction", "train 7B lora"),
    "infer 7B q4_k_m vllm": ("contradiction", "infer 7B Q4_K_M llama.cpp"),
    "infer 7B q4_0 n cpu moe 4": ("contradiction", "infer 7B Q4_0"),
    "infer 70B vllm pp 100": ("contradiction", "infer 70B vllm pp 64"),
    "infer 70B vllm tp 8, 13x h100": ("contradiction", "infer 70B vllm tp 8, 8x h100-sxm5-80gb"),
    "infer 70B Q4_K_M ep 4": ("contradiction", "infer 70B Q4_K_M tp 4"),
    "infer 70B Q4_K_M layer split 0,0, 2x rtx-3090": (
        "bad_request",
        "infer 70B Q4_K_M layer split 1,1, 2x rtx-3090",
    ),
    "infer 7B ctx 100 prompt 200": ("contradiction", "infer 7B ctx 200"),
    "train 7B lora r=60000": ("bad_request", "train 7B lora r=16"),
    "train 7B lora targets wqkv": ("bad_request", "train 7B lora targets attention"),
    "train 7B tp": ("bad_request", "train 7B tensor parallel tp 2"),
    "train 7B 13B": ("contradiction", "train 13B"),
    "train qwen2.9-vl-7b lora": ("unknown_name", "train Qwen/Qwen2-VL-7B-Instruct lora"),
    "train 7B full lora grpo": ("contradiction", "train 7B grpo"),
    "llama 70B": ("ambiguous", "infer meta-llama/Llama-3.3-70B-Instruct"),
    "4bit qwen 72b": ("ambiguous", "infer Qwen/Qwen2.5-72B int4"),
    "will gemma r1 fit on 8x H200": (
        "unknown_name",
        "infer google/gemma-3-1b-it, 8x h200-sxm-141gb",
    ),
    "infer 8B ctx 16k 8k": ("contradiction", "infer 8B ctx 8192"),
    "infer 7B 5 bit": ("ambiguous", "infer 7B exl2 bpw 5"),
    "8B q4 macbook air 12gb": ("unknown_name", "infer 8B Q4_K_M apple-m1-16gb"),
    "8B q4 h900": ("unknown_name", "infer 8B Q4_K_M h100-sxm5-80gb"),
    "train nllb 2.8b": ("unknown_name", "train 7B"),
    "8B awq llama.cpp": ("contradiction", "infer 8B Q4_K_M llama.cpp"),
    "8B exl2 4bpw vllm": ("contradiction", "infer 8B exl2 exllamav2 bpw 4"),
    "8B fp16 vllm, kv q8": ("contradiction", "infer 8B fp16 vllm kv fp8"),
    "infer 8B 3x 24gb tp 3": ("contradiction", "infer 8B, 3x 24GB"),
    "flurbl": ("unknown_word", "train 7B adam lora"),
    "": ("empty", "train 7B adam lora"),
}


@pytest.mark.parametrize(("line", "expected"), UNANSWERED.items())
def test_a_refusal_says_why_and_offers_lines_that_are_answered(
    line: str, expected: tuple[str, str]
) -> None:
    code, offered = expected
    refused = DESK.ask(line)
    assert isinstance(refused, Refused)
    assert refused.code == code
    assert refused.refusal.wrong
    assert refused.refusal.understood
    assert offered in refused.refusal.lines
    assert len(refused.refusal.lines) <= MOST_LINES
    for corrected in refused.refusal.lines:
        assert isinstance(DESK.ask(corrected), Replied)


def test_a_method_of_some_blocks_says_how_many_are_trained() -> None:
    replied = DESK.ask("train 7B badam")
    assert isinstance(replied, Replied)
    assert any("trained at a time (3.01%)" in line for line in replied.presentation.details)


@pytest.mark.parametrize(
    "line", ["train 7B adam lora", "infer 8B q4_k_m ctx 8k", "how much for a 7B lora on a 3090?"]
)
def test_an_answer_carries_a_line_that_gives_the_same_answer(line: str) -> None:
    replied = DESK.ask(line)
    assert isinstance(replied, Replied)
    again = DESK.ask(replied.presentation.line)
    assert isinstance(again, Replied)
    assert again.answer.estimate == replied.answer.estimate


OBJECTIVES = (
    *("train 8B dpo lora", "train 7B full dpo", "7B qlora dpo, precomputed reference"),
    *("train 8B reward model qlora", "7B lora grpo", "7B lora grpo vllm new tokens 256"),
    *("7B lora ppo", "train llama 3.2 1b distill, teacher: llama 3.1 8b bs 2"),
)


@pytest.mark.parametrize("line", OBJECTIVES)
def test_objectives_are_answered_and_read_again(line: str) -> None:
    replied = DESK.ask(line)
    assert isinstance(replied, Replied)
    again = DESK.ask(replied.presentation.line)
    assert isinstance(again, Replied)
    assert again.answer.estimate == replied.answer.estimate


def test_both_outcomes_are_documents() -> None:
    replied, refused = DESK.ask("train 7B qlroa"), DESK.ask("train 7B flurbl")
    assert isinstance(replied, Replied)
    assert isinstance(refused, Refused)
    good, bad = replied.document(), refused.document()
    assert set(good) == set(bad)
    assert good["error"] is None
    assert any("qlroa" in warning for warning in good["warnings"])
    assert bad["error"]["code"] == "unknown_word"
    assert bad["error"]["suggestions"] == list(refused.refusal.lines)
    assert bad["understood"] == {"task": "train", "model": "7B"}
    assert json.loads(json.dumps(bad)) == bad


@pytest.mark.parametrize(
    ("text", "asked", "line"),
    [
        ("7B adam lora", "infer", "train 7B lora adamw"),
        ("7B qlora", "infer", "train 7B qlora"),
        ("serve 8B for 5 users", "train", "infer 8B users 5"),
        ("8B kv fp8", "train", "infer 8B kv fp8"),
    ],
)
def test_words_of_the_other_command_are_sent_there(text: str, asked: str, line: str) -> None:
    refused = DESK.ask(text, {"task": asked})
    assert isinstance(refused, Refused)
    assert refused.refusal.wrong.startswith(f"You asked `{asked}`")
    assert refused.refusal.lines[0] == line


@pytest.mark.parametrize("weights", ["q4_k_m", "q8_0", "iq4_xs", "gguf"])
@pytest.mark.parametrize("method", ["lora", "dora", "rslora"])
def test_no_offered_line_says_a_word_twice(method: str, weights: str) -> None:
    refused = DESK.ask(f"train 7b {weights} {method}")
    assert isinstance(refused, Refused)
    for line in refused.refusal.lines:
        words = line.split()
        assert len(words) == len(set(words)), line


@pytest.mark.parametrize("line", ["train llama 70b fp8", "llama 70b int8"])
def test_versions_are_asked_for_with_what_is_answered_of_each(line: str) -> None:
    refused = DESK.ask(line)
    assert isinstance(refused, Refused)
    assert refused.code == "ambiguous"
    assert refused.refusal.lines
    assert all("meta-llama/" in offered for offered in refused.refusal.lines[:2])


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("serve llama 3.1 8b vllm max_num_seqs 4096 max_num_batched_tokens 512", "seqs 4096"),
        ("serve llama 3.1 8b -ctv q8_0 no flash attention", "eager kv v fp16"),
        ("serve llama 3.1 8b -ctv q8_0 no flash attention", "flash kv v Q8_0"),
        ("serve llama 3.1 8b vllm 8 loras rank 1024", "vllm r=512 loras 8"),
        ("serve llama 3.1 8b gptq4 llama.cpp", "Q4_K_M llama.cpp"),
    ],
)
def test_a_corrected_line_keeps_all_that_was_not_wrong(line: str, kept: str) -> None:
    assert any(kept in one for one in refused(line))


@pytest.mark.parametrize("engine", DESK.engines)
@pytest.mark.parametrize("weights", ["exl2 4.65bpw", "gptq4", "q4_k_m", "awq", "nf4", "fp8"])
def test_no_word_of_a_corrected_line_stands_twice(engine: str, weights: str) -> None:
    reply = DESK.ask(f"serve llama 3.1 8b {weights} {engine}")
    for line in reply.refusal.lines if isinstance(reply, Refused) else ():
        words = line.replace(",", "").split()
        assert all(a != b for a, b in pairwise(words)), line


def refused(line: str) -> tuple[str, ...]:
    reply = DESK.ask(line)
    assert isinstance(reply, Refused)
    return tuple(reply.refusal.lines)
