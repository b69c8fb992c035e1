"""What is pasted, asked in other languages, or replied: whole, cut, damaged and mixed."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from bot.reading.glossary import LANGUAGES, load_glossary
from bot.reading.read import Reader
from tests.fuzz.texts import SEPARATORS, damaged, questions, texts

TESTS = Path(__file__).parents[1]
LINES = (
    *("train 7B qlora", "infer llama-3.1-8b Q4_K_M, 8k context, 24GB", "fit 2x rtx-3090"),
    *("train mixtral-8x7b full, 4 nodes of 8xH100", "infer 70B awq4, 4 users, 2x a100-sxm4-80gb"),
)
REPLIES = (
    *("and with qlora?", "same for 70B", "double the batch", "without checkpointing", "thanks"),
    *("what about a 4090", "half the context", "on 2 of them", "no, train it", "batch 4 vs 8"),
)


def pastes(reader: Reader) -> st.SearchStrategy[str]:
    """Files, commands and code of programs, with things put in, beside each other and prose."""
    found: list[str] = []
    for path in sorted((TESTS / "bot" / "pastes").glob("*.toml")):
        found += [paste["text"] for paste in tomllib.loads(path.read_text("utf-8"))["paste"]]
    lines = [line for text in found for line in text.splitlines() if line.strip()]
    shuffled = st.lists(st.sampled_from(lines), max_size=30).map("\n".join)
    return _mixed(found, reader, shuffled)


def foreign(reader: Reader) -> st.SearchStrategy[str]:
    """Questions of other languages, and their words in any order."""
    rows = [
        json.loads(row)["text"]
        for path in sorted((TESTS / "accuracy" / "languages").glob("*.jsonl"))
        for row in path.read_text(encoding="utf-8").splitlines()
    ]
    known = [load_glossary(code) for code in LANGUAGES]
    said = [phrase for words in known for phrases in words.phrases.values()
            for phrase in phrases]  # fmt: skip
    counts = [
        *(
            word
            for words in map(load_glossary, LANGUAGES)
            for word in (*words.numerals, *words.scales)
        ),
        "7B",
    ]
    words = st.one_of(st.sampled_from(said), st.sampled_from(counts))
    shuffled = st.builds(
        lambda joint, some: joint.join(some),
        st.sampled_from((" ", "", ", ")),
        st.lists(words, max_size=40),
    )
    return _mixed(rows, reader, shuffled)


def replies(reader: Reader) -> st.SearchStrategy[tuple[str, str]]:
    """The lines of an answer, and what is replied to it."""
    line = st.one_of(st.sampled_from(LINES), st.sampled_from(questions()))
    said = st.one_of(st.sampled_from(REPLIES), texts(reader).map(lambda text: text[:300]))
    lines = st.lists(line, min_size=1, max_size=3).map("\n".join)
    both = st.builds(lambda one, other: f"{one} {other}", st.sampled_from(REPLIES), said)
    return st.tuples(lines, st.one_of(said, both))


def _mixed(
    whole: Sequence[str], reader: Reader, shuffled: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    one, places = st.sampled_from(whole), st.integers(0, 400)
    cut = st.builds(lambda text, a, b: text[a : a + b], one, places, places)
    odd = texts(reader).map(lambda text: text[:60])
    changed = st.builds(damaged, one, st.lists(st.tuples(st.integers(0), odd), max_size=6))
    parts = st.lists(st.one_of(one, cut, changed, shuffled, odd), min_size=1, max_size=4)
    joined = st.builds(lambda joint, some: joint.join(some), st.sampled_from(SEPARATORS), parts)
    return st.one_of(changed, shuffled, joined).map(lambda text: text[:4000])
