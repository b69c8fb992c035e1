"""Replies to answers: what they change of the question, what they keep, what they leave out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Explained, Refused, Replied, Tabled, Weighed, open_desk
from bot.reading.changing import CHANGES, THANKED
from bot.replies import Answered
from tests.examples import examples

DESK = open_desk()
TRAIN = "train 7B lora r=64 bs 2, 2x rtx-3090"
PLAIN = "train 7B lora"
SERVE = "infer 70B awq4 vllm users 4 ctx 16384, 2x a100-sxm4-80gb"
GGUF = "infer 8B Q4_K_M llama.cpp ngl 20, rtx-3060-12gb"
SHARDED = "train 70B full zero3, 8x h100-sxm5-80gb"

CHANGED = [
    (TRAIN, "and the same for 405B", "train 405B lora r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "what about Qwen2.5-14B?", "train Qwen/Qwen2.5-14B lora r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "with qlora", "train 7B qlora r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "qlora instead of lora", "train 7B qlora r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "bs 4", "train 7B lora r=64 bs 4, 2x rtx-3090"),
    (TRAIN, "what about a 4090?", "train 7B lora r=64 bs 2, rtx-4090"),
    (TRAIN, "on 4x h100", "train 7B lora r=64 bs 2, 4x h100-sxm5-80gb"),
    (TRAIN, "in fp8", "train 7B lora fp8 r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "without lora", "train 7B full bs 2, 2x rtx-3090"),
    (TRAIN, "full finetuning", "train 7B full bs 2, 2x rtx-3090"),
    (TRAIN, "seq 8k instead", "train 7B lora r=64 bs 2 seq 8192, 2x rtx-3090"),
    (TRAIN, "and at 32k?", "train 7B lora r=64 bs 2 seq 32768, 2x rtx-3090"),
    (TRAIN, "4 of them", "train 7B lora r=64 bs 2, 4x rtx-3090"),
    (TRAIN, "with 3 gpus", "train 7B lora r=64 bs 2, 3x rtx-3090"),
    (TRAIN, "infer instead", "infer 7B, 2x rtx-3090"),
    (TRAIN, "to run it", "infer 7B, 2x rtx-3090"),
    (TRAIN, "with vllm", "infer 7B vllm, 2x rtx-3090"),
    (TRAIN, "q4_k_m", "infer 7B Q4_K_M, 2x rtx-3090"),
    (TRAIN, "no checkpointing", "train 7B lora no checkpointing r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "8bit adam", "train 7B lora adamw_8bit r=64 bs 2, 2x rtx-3090"),
    (TRAIN, "r=128 alpha 256", "train 7B lora r=128 alpha 256 bs 2, 2x rtx-3090"),
    (TRAIN, "what if I had two 4090s", "train 7B lora r=64 bs 2, 2x rtx-4090"),
    (TRAIN, "same but with 4096 tokens", "train 7B lora r=64 bs 2 seq 4096, 2x rtx-3090"),
    (TRAIN, "on 16GB", "train 7B lora r=64 bs 2, 16GB"),
    (TRAIN, "double the batch", TRAIN.replace("bs 2", "bs 4")),
    (TRAIN, "what about half the rank?", TRAIN.replace("r=64", "r=32")),
    (TRAIN, "with the batch size halved", TRAIN.replace("bs 2", "bs 1")),
    (TRAIN, "twice the context", TRAIN.replace("bs 2", "bs 2 seq 4096")),
    (TRAIN, "with 2 more gpus", TRAIN.replace("2x", "4x")),
    (TRAIN, "add another card", TRAIN.replace("2x", "3x")),
    (TRAIN, "half the cards", TRAIN.replace("2x ", "")),
    (SERVE, "double the users and half the context", SERVE.replace("4 ctx 16384", "8 ctx 8192")),
    (PLAIN, "on a 3090", "train 7B lora, rtx-3090"),
    (PLAIN, "2x", "train 7B lora world 2"),
    ("train 7B lora, rtx-3090", "x2", "train 7B lora, 2x rtx-3090"),
    ("train Qwen/Qwen2.5-7B qlora", "what about the 14B?", "train Qwen/Qwen2.5-14B qlora"),
    ("infer meta-llama/Llama-3.1-8B", "for 70B", "infer meta-llama/Llama-3.1-70B"),
    (
        "infer meta-llama/Llama-3.1-70B vllm",
        "and the same for 405B",
        "infer meta-llama/Llama-3.1-405B vllm",
    ),
    ("train google/gemma-3-4b-pt lora", "12b", "train google/gemma-3-12b-it lora"),
    ("train Qwen/Qwen2.5-7B lora", "and 13B?", "train 13B lora"),
    ("train Qwen/Qwen2.5-7B lora", "llama 3 8b", "train meta-llama/Meta-Llama-3-8B lora"),
    (PLAIN, "13B", "train 13B lora"),
    (SERVE, "and the same for 405B", SERVE.replace("70B", "405B")),
    (SERVE, "in fp8", "infer 70B fp8 vllm users 4 ctx 16384, 2x a100-sxm4-80gb"),
    (SERVE, "with 8 users", SERVE.replace("users 4", "users 8")),
    (SERVE, "bs 16", SERVE.replace("users 4", "users 16")),
    (SERVE, "8 users and 32k", SERVE.replace("users 4", "users 8").replace("16384", "32768")),
    (SERVE, "with llama.cpp", "infer 70B llama.cpp users 4 ctx 16384, 2x a100-sxm4-80gb"),
    (SERVE, "q4_k_m", "infer 70B Q4_K_M users 4 ctx 16384, 2x a100-sxm4-80gb"),
    (SERVE, "without awq", "infer 70B vllm users 4 ctx 16384, 2x a100-sxm4-80gb"),
    (SERVE, "train it with qlora instead", "train 70B qlora, 2x a100-sxm4-80gb"),
    (SERVE, "kv fp8", SERVE.replace(", 2x", " kv fp8, 2x")),
    (SERVE, "on one h100", SERVE.replace("2x a100-sxm4-80gb", "h100-sxm5-80gb")),
    (SERVE, "how many users?", SERVE.replace("users 4", "how many users")),
    (GGUF, "for 70B", GGUF.replace("8B", "70B")),
    (GGUF, "ngl 30", GGUF.replace("ngl 20", "ngl 30")),
    ("train 7B qlora r=8", "in bf16", "train 7B lora bf16 r=8"),
    ("train 7B qlora r=8", "int8", "train 7B lora int8 r=8"),
    ("train 7B qlora r=8", "without quantization", "train 7B lora bf16 r=8"),
    (TRAIN, "lower the rank to 8", TRAIN.replace("r=64", "r=8")),
    (SHARDED, "on a 4090", "train 70B full, rtx-4090"),
    (SHARDED, "16 of them", SHARDED.replace("8x", "16x")),
    (SHARDED, "fsdp", SHARDED.replace("zero3", "fsdp")),
    ("train 70B", "to run it", "infer 70B"),
    ("fit rtx-4090", "and 2x 3090?", "fit 2x rtx-3090"),
    ("fit rtx-4090", "for 13B", "fit 13B, rtx-4090"),
]
NEW = [
    (TRAIN, "train 13B lora", "train 13B lora"),
    (SERVE, "finetune llama 3.1 8b with qlora", "train meta-llama/Llama-3.1-8B qlora"),
    (TRAIN, "what fits on a 4090?", "fit rtx-4090"),
]
SIDES = [
    (TRAIN, "vs qlora", (TRAIN, TRAIN.replace("lora", "qlora"))),
    (TRAIN, "compare with qlora", (TRAIN, TRAIN.replace("lora", "qlora"))),
    (TRAIN, "or full?", (TRAIN, "train 7B full bs 2, 2x rtx-3090")),
    (TRAIN, "vs 13B", (TRAIN, TRAIN.replace("7B", "13B"))),
    (PLAIN, "vs bs 4", (PLAIN, f"{PLAIN} bs 4")),
    (PLAIN, "3090 or 4090?", (f"{PLAIN}, rtx-3090", f"{PLAIN}, rtx-4090")),
    (SERVE, "vs gptq", (SERVE, SERVE.replace("awq4", "gptq4"))),
    (f"{PLAIN}\ntrain 7B qlora", "bs 4", (f"{PLAIN} bs 4", "train 7B qlora bs 4")),
    (f"{PLAIN}\ntrain 7B qlora", "vs full", (PLAIN, "train 7B qlora", "train 7B full")),
]


def reply(line: str, words: str) -> Answered:
    return DESK.ask(words, {CHANGES: line})


@pytest.mark.parametrize(("line", "words", "changed"), CHANGED + NEW)
def test_a_reply_is_asked_as_one_line(line: str, words: str, changed: str) -> None:
    found = reply(line, words)
    if isinstance(found, Tabled):
        assert found.shown.lines[0] == changed
    else:
        assert isinstance(found, Replied)
        assert found.shown.line == changed


@pytest.mark.parametrize(("line", "words", "lines"), SIDES)
def test_words_that_compare_show_old_and_new(line: str, words: str, lines: tuple[str, ...]) -> None:
    found = reply(line, words)
    assert isinstance(found, Weighed)
    assert set(found.shown.lines) == set(lines)


@pytest.mark.parametrize(("line", "words", "changed"), CHANGED)
def test_the_changed_line_can_be_asked_again(line: str, words: str, changed: str) -> None:
    again = DESK.ask(changed)
    assert isinstance(again, Replied | Tabled)
    if isinstance(again, Replied):
        assert again.shown.line == changed
    assert (line, words) != (changed, "")


@pytest.mark.parametrize(
    ("line", "words", "gone"),
    [
        (TRAIN, "without lora", "r=64"),
        (TRAIN, "infer instead", "lora r=64 bs 2"),
        (SERVE, "with llama.cpp", "awq4"),
        (SHARDED, "on a 4090", "zero3"),
    ],
)
def test_what_no_longer_goes_with_it_is_named(line: str, words: str, gone: str) -> None:
    found = reply(line, words)
    assert isinstance(found, Replied)
    assert f"`{gone}`" in found.notes[-1]
    assert "Left out" in found.notes[-1]


@pytest.mark.parametrize("words", ["so much?", "hm", "yes", "more vram please", ""])
def test_words_that_change_nothing_are_told_what_could_be(words: str) -> None:
    found = reply(PLAIN, words)
    assert isinstance(found, Refused)
    assert found.understood["method"] == "lora" or found.code == "unknown_word"
    assert found.refusal.lines


def test_a_reply_that_asks_why_is_explained() -> None:
    assert isinstance(reply(PLAIN, "what is GQA?"), Explained)


COMPARED = "train 7B lora\ntrain 7B qlora"


@pytest.mark.parametrize("words", ["florp the wibble", "it rains on sundays", "hmm whatever"])
@pytest.mark.parametrize("lines", [PLAIN, COMPARED])
def test_words_that_mean_nothing_are_said_not_to_be_understood(lines: str, words: str) -> None:
    found = DESK.ask(words, {CHANGES: lines})
    assert isinstance(found, Refused)
    assert "did not understand" in found.refusal.wrong


@pytest.mark.parametrize(
    ("lines", "words", "topic", "part"),
    [
        (PLAIN, "why?", "weights_rule", "weights 13."),
        ("train 7B full", "why so much?", "sixteen_bytes", "optimizer's states"),
        ("train 0.5B lora bs 16", "how come", "logits", "logits"),
        ("infer 8B users 64", "warum so viel?", "kv_cache", "cache"),
        ("infer 70B Q4_K_M", "explain", "four_bit", "weights"),
        ("infer Qwen/Qwen3-30B-A3B", "why", "moe", "weights"),
        (COMPARED, "why is that?", "four_bit", "`qlora` takes"),
    ],
)
def test_a_bare_why_is_answered_with_the_largest_parts(
    lines: str, words: str, topic: str, part: str
) -> None:
    found = DESK.ask(words, {CHANGES: lines})
    assert isinstance(found, Explained)
    assert (found.topic, part in found.explanation.brief) == (topic, True)


def test_the_lines_that_are_offered_are_changes() -> None:
    found = reply(PLAIN, "hm")
    assert isinstance(found, Refused)
    assert found.refusal.lines == (f"{PLAIN} bs 4", "train 7B qlora")


@pytest.mark.parametrize("words", ["thanks!", "ok, cool", "Thank you so much", "merci", "谢谢"])
def test_thanks_ask_for_nothing(words: str) -> None:
    found = reply(PLAIN, words)
    assert isinstance(found, Refused)
    assert found.code == THANKED


@pytest.mark.parametrize("words", ["thanks, and with qlora?", "cool. bs 4"])
def test_thanks_with_a_change_are_a_change(words: str) -> None:
    assert isinstance(reply(PLAIN, words), Replied)


@pytest.mark.parametrize("line", ["", "frobnicate", "train", "x" * 900, "train 7B 13B lora"])
def test_a_line_that_cannot_be_read_leaves_the_words_alone(line: str) -> None:
    found = reply(line, "train 8B qlora")
    assert isinstance(found, Replied)
    assert found.shown.line == "train 8B qlora"


def test_an_unknown_model_is_told_with_the_rest_kept() -> None:
    found = reply(TRAIN, "and for frobnicator-7b?")
    assert isinstance(found, Refused)
    assert "frobnicator" in found.refusal.wrong


def test_a_hub_id_may_be_looked_up_for_a_reply() -> None:
    found = reply(TRAIN, "some-org/new-finetune-9b")
    assert found.strange == "some-org/new-finetune-9b"


WORDS = [
    "and", "the same", "for", "13B", "with", "qlora", "vs", "instead", "of", "them", "2", "4090",
    "without", "lora", "bs 4", "8k", "infer", "train", "fit", "or", "no", "q4_k_m", "vllm", "@here",
    "zero3", "?", ",", "compare", "`", "405B", "Qwen/Qwen2.5-7B", "double", "0", "-1",
]  # fmt: skip


@settings(deadline=None, max_examples=examples(150))
@given(
    st.sampled_from([TRAIN, SERVE, GGUF, SHARDED, "fit rtx-4090", f"{TRAIN}\n{PLAIN}"]),
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=60),
)
def test_whatever_is_replied_something_comes_back(line: str, words: str) -> None:
    found = DESK.begin(words, {CHANGES: line})
    if isinstance(found, Refused):
        assert "\n" not in found.refusal.wrong
