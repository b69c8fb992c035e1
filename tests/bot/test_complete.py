"""A question while it is typed: what is said so far, and lines that go on from it."""

import pytest

from bot.ask import Replied, open_desk
from bot.reading.options import COMMAND
from bot.reading.whatfits import FIT
from bot.replies import Unfinished

DESK = open_desk()
TRAIN, INFER = "train", "infer"

# Task, typed, and a line that must be listed.
WANTED = [
    (TRAIN, "l", "lora 7B"),
    (TRAIN, "lla", "meta-llama/Llama-3.1-8B"),
    (TRAIN, "llama 3.1 8", "meta-llama/Llama-3.1-8B"),
    (TRAIN, "q", "qlora 7B"),
    (TRAIN, "8xh10", "8x h100-sxm5-80gb 7B"),
    (TRAIN, "lora", "lora 7B"),
    (TRAIN, "lora qw", "lora Qwen/Qwen3-8B"),
    (TRAIN, "Qwen2.5-7B q", "Qwen2.5-7B qlora"),
    (TRAIN, "Qwen2.5-7B qlo", "Qwen2.5-7B qlora"),
    (TRAIN, "phi-4 adamw_8b", "phi-4 adamw_8bit"),
    (TRAIN, "7B adamw_8b", "7B adamw_8bit"),
    (TRAIN, "7B 8-bit ad", "7B adamw_8bit"),
    (TRAIN, "7B lora r", "7B lora r=16"),
    (TRAIN, "7B lora bs", "7B lora bs 4"),
    (TRAIN, "7B lora se", "7B lora seq 2048"),
    (TRAIN, "7B lora 40", "7B lora rtx-4090"),
    (TRAIN, "7B lora on rtx 40", "7B lora on rtx-4090"),
    (TRAIN, "7B 2x 30", "7B 2x rtx-3090"),
    (TRAIN, "7B 3090, 24", "7B 3090, 1x 24GB"),
    (TRAIN, "7B lora ", "7B lora rtx-3090"),
    (TRAIN, "7B a100", "7B a100-sxm4-80gb"),
    (TRAIN, "70B z", "70B zero3"),
    (TRAIN, "7B full grad ch", "7B full grad ckpt"),
    (INFER, "8B q", "8B Q4_K_M"),
    (INFER, "8B aw", "8B awq4"),
    (INFER, "8B v", "8B vllm"),
    (INFER, "8B q4_k_m c", "8B q4_k_m ctx 8192"),
    (INFER, "8B us", "8B users 4"),
]
QUERIES = [
    (TRAIN, "7B adam lora"),
    (TRAIN, "Qwen2.5-7B qlora bs 2 seq 4096 on a 3090"),
    (TRAIN, "meta-llama/Llama-3.1-8B-Instruct lora r=16 grad ckpt"),
    (TRAIN, "llama 3 8b full adamw_8bit on 2x 4090"),
    (TRAIN, "70B zero3 8xh100"),
    (TRAIN, "how much vram for mistral 7b qlora?"),
    (TRAIN, "deepseek r1 distill 7b lora 24gb"),
    (INFER, "8B q4_k_m ctx 8k"),
    (INFER, "mixtral awq 4 users ctx 16k"),
    (INFER, "qwen3 32b fp8 vllm 2x a100 80gb"),
]


@pytest.mark.parametrize(("task", "typed", "line"), WANTED)
def test_the_last_word_is_completed(task: str, typed: str, line: str) -> None:
    assert line in DESK.ahead(typed, {"task": task}).lines


def test_an_unfinished_word_is_said_and_left_out_of_what_is_understood() -> None:
    found = DESK.ahead("Qwen2.5-7B q", {"task": TRAIN})
    alone = DESK.ask("Qwen2.5-7B", {"task": TRAIN})
    assert (found.text, found.unfinished, found.shown) == ("Qwen2.5-7B", "q", alone.shown)


@pytest.mark.parametrize("typed", ["7B lora", "7B on a 3090 please", "7B lora bs 4", "llama 3"])
def test_a_line_that_is_read_is_what_is_understood(typed: str) -> None:
    found = DESK.ahead(typed, {"task": TRAIN})
    assert (found.text, found.unfinished) == (typed, "")
    assert found.shown == DESK.ask(typed, {"task": TRAIN}).shown


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("", "fit 4090"),
        ("40", "rtx-4090"),
        ("2x 30", "2x rtx-3090"),
        ("4090 ql", "4090 qlora"),
        ("8B 40", "8B rtx-4090"),
        ("8B", "fit 8B, rtx-4090"),
    ],
)
def test_cards_are_completed_where_they_are_all_that_is_needed(typed: str, line: str) -> None:
    found = DESK.ahead(typed, {COMMAND: FIT})
    offered = [*found.lines, *getattr(found.shown, "lines", ())]
    assert line in offered
    assert isinstance(DESK.begin(line, {COMMAND: FIT}), Unfinished)


def test_a_word_that_a_sentence_leaves_aside_is_not_finished() -> None:
    assert DESK.ahead("7B on a 3090 ql", {"task": TRAIN}).unfinished == "ql"


@pytest.mark.parametrize("typed", ["mistrol lora", "7B 13B lora", "7B frob q", "7B lora x"])
def test_what_nothing_completes_is_wrong_as_before(typed: str) -> None:
    found = DESK.ahead(typed, {"task": TRAIN})
    assert (found.text, found.unfinished, found.lines) == (typed, "", ())
    assert found.shown == DESK.ask(typed, {"task": TRAIN}).shown


def test_what_is_said_is_not_offered_again() -> None:
    lines = DESK.ahead("7B lora adamw l", {"task": TRAIN}).lines
    assert not [line for line in lines if line.endswith((" lora", " lion", " lomo"))]


def test_an_option_counts_as_said() -> None:
    lines = DESK.ahead("l", {"task": TRAIN, "model": "8B"}).lines
    assert "lora" in lines
    assert [line for line in lines if "lama" in line] == ["llama adapter"]  # and no model


@pytest.mark.parametrize(("task", "query"), QUERIES)
def test_every_letter_of_a_question_lists_something_useful(task: str, query: str) -> None:
    for length in range(1, len(query) + 1):
        typed = query[:length]
        found = DESK.ahead(typed, {"task": task})
        offered = [*found.lines, *getattr(found.shown, "lines", ())][:25]
        good = [line for line in found.lines if is_answered(line, task)]
        assert good == list(found.lines), typed
        understood = is_answered(found.text, task)
        assert length < 2 or understood or any(is_answered(line, task) for line in offered), typed


def test_a_question_is_whole_in_the_end() -> None:
    for task, query in QUERIES:
        found = DESK.ahead(query, {"task": task})
        assert (found.text, found.unfinished) == (query, "")
        assert is_answered(found.text, task), query


@pytest.mark.parametrize("typed", ["", " ", "@here", "\u202e", "7B " * 99, "`" * 40, "((", "7B ,"])
def test_nothing_that_is_typed_fails(typed: str) -> None:
    found = DESK.ahead(typed, {"task": TRAIN})
    assert found.shown is not None
    assert all(0 < len(line) <= 100 for line in found.lines)


def is_answered(line: str, task: str) -> bool:
    return isinstance(DESK.ask(line, {"task": task}), Replied)
