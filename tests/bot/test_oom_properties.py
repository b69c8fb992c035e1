"""Properties of reading out-of-memory messages: nothing breaks it, and it makes nothing up."""

import inspect
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
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
from bot.reading.oom.figures import bytes_of, phrase
from bot.reading.oom.message import OomMessage
from bot.reading.oom.pasted import MOST_CHARACTERS, plain
from bot.reading.oom.wording import Wording
from tests.examples import examples

ACCURACY = Path(__file__).parents[1] / "accuracy"
TEXTS = [
    json.loads(line)["text"]
    for name in ("oom", "own_oom", "further_oom")
    for line in (ACCURACY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]
MODULES = (apple, deepspeed, driver, host, llama_cpp, llama_cpp_lines, loading, servers, vllm, xla)
RUNS = examples(500)
COMPUTED = ("tried",)  # of a tensor, from its shape
SIZE = re.compile(r"(-?[\d,]*\d(?:\.\d+)?)\s*([KMGTP]?i?B?)", re.IGNORECASE)

pieces = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(TEXTS).flatmap(lambda t: st.integers(0, len(t)).map(lambda at: t[at:])),
    st.sampled_from(TEXTS).flatmap(lambda t: st.integers(0, len(t)).map(lambda at: t[:at])),
    st.text(max_size=60),
    st.from_regex(r"[\d.,]{1,40} ?[KMGT]?i?B?", fullmatch=True),
)
logs = st.lists(pieces, max_size=5).map("\n".join)


@given(logs)
@settings(max_examples=RUNS, deadline=None)
def test_nothing_breaks_it_and_every_figure_stands_in_the_text(log: str) -> None:
    message = read_oom(log)
    if message is not None:
        assert_from(message, plain(log))


def assert_from(message: OomMessage, log: str) -> None:
    """Every figure and count is one that the text has, in bytes, MiB, GiB or thousands."""
    there = set[int]()
    for number, unit in SIZE.findall(log):
        for written in (unit, "", "MiB", "GiB"):
            for thousands in (False, True):
                amount = bytes_of(number.replace(",", "") + written, thousands=thousands)
                there |= set() if amount is None else {amount}
    for name, figure in message.figures.items():
        assert figure in there or (message.shape and name in COMPUTED), name
    for process in message.processes:
        assert process.used_bytes in there


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_twice_is_read_once(text: str) -> None:
    once, twice = read_oom(text), read_oom(f"{text}\n{text}")
    assert once is not None
    assert twice is not None
    assert (twice.kind, twice.figures) == (once.kind, once.figures)


def by_line(form: str) -> Callable[[str], str]:
    """Each line of a text in a form: quoted, coloured, indented."""
    return lambda text: "\n".join(form.format(line) for line in text.split("\n"))


def _broken(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def wrapped(text: str, width: int = 60) -> str:
    """`text` as a narrow terminal breaks it, between words."""
    lines = (_broken(line, width) for line in text.split("\n"))
    return "\n".join(word for line in lines for word in (line or [""]))


PASTED: dict[str, Callable[[str], str]] = {
    "quoted": by_line("> {}"),
    "indented": by_line("        {}"),
    "coloured": by_line("\x1b[36m{}\x1b[0m"),
    "fenced": lambda text: f"what now?\n```\n{text}\n```\nplease help",
    "wrapped": wrapped,
    "framed": lambda text: by_line("│ {} │")(wrapped(text, 76)),
    "bold": lambda text: f"**{text}**",
    "in small letters": str.lower,
    "with hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "behind a bar": lambda text: f"Epoch 1: 100%|██████████| 20/20 [00:10<00:00]\n{text}",
}


@pytest.mark.parametrize("how", PASTED)
def test_however_it_is_pasted_it_says_the_same(how: str) -> None:
    changed = []
    for text in TEXTS:
        message, pasted = read_oom(text), read_oom(PASTED[how](text))
        assert message is not None
        if pasted is None or (pasted.kind, pasted.figures, pasted.counts) != (
            message.kind,
            message.figures,
            message.counts,
        ):
            changed.append(text)
    assert changed == []


def test_a_text_without_end_is_cut() -> None:
    assert len(plain("1 GiB " * 100_000)) <= MOST_CHARACTERS + 1


def wordings(module: ModuleType) -> list[Wording]:
    """Every wording of a module, alone or in a tuple."""
    found: list[Wording] = []
    for _, value in inspect.getmembers(module):
        listed = value if isinstance(value, tuple) else (value,)
        found += [one for one in listed if isinstance(one, Wording)]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_each_phrase_takes_one_figure(module: ModuleType) -> None:
    for wording in wordings(module):
        for phrases in (
            *wording.figures.values(),
            *wording.counts.values(),
            *wording.words.values(),
        ):
            for one in (phrases,) if isinstance(phrases, str) else phrases:
                assert phrase(one).groups == 1, one
                assert SPACE_IN_CLASS.search(phrase(one).pattern) is None, one


def test_pytorch_has_one_figure_a_phrase_too() -> None:
    for phrases in (*torch.FIGURES.values(), *torch.COUNTS.values(), *torch.WORDS.values()):
        for one in (phrases,) if isinstance(phrases, str) else phrases:
            assert phrase(one).groups == 1, one


SPACE_IN_CLASS = re.compile(r"(?<!\\)\[[^\]]*\\s\{")  # where it would stand for its own letters
UNBOUNDED = re.compile(r"(?<!\\)(?:[*+]|\{\d+,\})")


@pytest.mark.parametrize("module", [*MODULES, torch], ids=lambda module: module.__name__)
def test_no_phrase_is_endless(module: ModuleType) -> None:
    for name, value in inspect.getmembers(module):
        if isinstance(value, re.Pattern):
            assert UNBOUNDED.search(value.pattern) is None, name
            assert SPACE_IN_CLASS.search(value.pattern) is None, name
    for wording in wordings(module):
        for one in wording.known_by:
            assert UNBOUNDED.search(phrase(one).pattern) is None, one
