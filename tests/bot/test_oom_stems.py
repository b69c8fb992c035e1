"""The words without which no text is an out-of-memory message: every wording has one."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bot.reading.oom import (
    apple,
    deepspeed,
    driver,
    host,
    llama_cpp,
    llama_cpp_lines,
    loading,
    read_oom,
    servers,
    torch,
    vllm,
    xla,
)
from bot.reading.oom.figures import phrase
from bot.reading.oom.pasted import as_typed, plain
from bot.reading.oom.stems import STEMS, may_hold_one
from bot.reading.oom.wording import Wording

ACCURACY = Path(__file__).parents[1] / "accuracy"
FILES = ("oom", "own_oom", "further_oom")
MODULES = (apple, deepspeed, driver, host, llama_cpp, llama_cpp_lines, loading, servers, vllm)
EACH = 5  # texts of one pattern
ASCII = st.characters(max_codepoint=127)
QUESTIONS = (
    "I want to train a 7B model with LoRA on two 3090 cards, batch 4, how much memory do I need?",
    "serve llama 3.1 70B in fp8 with vllm for 16 users at 32k context, which GPUs are enough?",
    "is 24 GB of VRAM enough room for qwen2.5 32B Q4_K_M at 16k with the KV cache in q8_0",
)


def wordings() -> Iterator[Wording]:
    for value in (held for module in MODULES for held in values(module)):
        yield from value if isinstance(value, tuple) else (value,)


def values(module: ModuleType) -> Iterator[Wording | tuple[Wording, ...]]:
    for value in vars(module).values():
        several = isinstance(value, tuple) and all(isinstance(one, Wording) for one in value)
        if isinstance(value, Wording) or (several and value):
            yield value


PATTERNS = (
    *(phrase(one) for wording in wordings() for one in wording.known_by),
    *(torch.BLOCK, torch.SAID, torch.POOLED, torch.NAMED, xla.TENSOR, xla.XLA, host.KILLED),
    *(phrase(one) for one in host.ENDED),
    *llama_cpp.FAILED,
    *(one for _, one in llama_cpp.UNSIZED),
)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.pattern[:60])
def test_every_wording_has_a_stem(pattern: re.Pattern[str]) -> None:
    @settings(max_examples=EACH, deadline=None, derandomize=True, phases=[Phase.generate])
    @given(
        st.from_regex(re.compile(pattern.pattern, pattern.flags), fullmatch=True, alphabet=ASCII)
    )
    def holds(text: str) -> None:
        assert may_hold_one(text)

    holds()


@pytest.mark.parametrize("name", FILES)
def test_no_message_of_any_file_is_missed(name: str) -> None:
    lines = (ACCURACY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert [text for text in texts if not may_hold_one(text)] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_let_through_at_once(question: str) -> None:
    assert not may_hold_one(question)
    assert read_oom(question) is None


def test_no_stem_stands_in_another() -> None:
    assert [(one, other) for one in STEMS for other in STEMS if one != other and one in other] == []


def test_what_terminals_and_chats_put_around_words_hides_none() -> None:
    hidden = (
        "out of **memory**",
        "out\x1b[0m of memory",
        "tried to al\u200blocate",
        "out of\\nmemory",
    )
    assert [text for text in hidden if as_typed(text) or not may_hold_one(text)] == []
    assert as_typed("CUDA out of\n memory (GPU 0)")


def test_what_is_as_typed_is_plain_but_for_its_spaces() -> None:
    assert [line for line in QUESTIONS if not as_typed(line)] == []
    assert [" ".join(plain(line).split()) for line in QUESTIONS] == list(QUESTIONS)
