"""`python -m estimator`: one answer a line, in order, whatever a line holds."""

import json
import os
import subprocess
import sys
from typing import NoReturn

import pytest

from estimator import answer_document, load_catalog
from tests.estimator.questions import Document

GOOD: Document = {"task": "train", "model": "7B", "method": "lora"}
LINE = json.dumps(GOOD).encode()
SECONDS = 60


def refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def answers(*lines: bytes, **environment: str) -> list[Document]:
    """What the program prints for `lines`; it ends well and prints strict JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "estimator"],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]


def code(answered: Document) -> str | None:
    return answered["error"] and str(answered["error"]["code"])


def test_one_answer_a_line_in_order() -> None:
    serving = json.dumps({"task": "infer", "model": "8B"}).encode()
    long_line = json.dumps(GOOD | {"model": "x" * 300_000}).encode()
    found = answers(
        LINE,
        b"{not json",
        b"[1, 2]",
        b'"7B"',
        json.dumps(GOOD | {"zz": 1}).encode(),
        b"",
        b"   ",
        long_line,
        serving,
        LINE,
    )
    bad = "bad_request"
    assert [code(answered) for answered in found] == [None, *[bad] * 5, None, None]
    assert found[0] == found[-1]
    assert found[-2]["understood"]["task"] == "infer"
    assert found[0] == json.loads(json.dumps(answer_document(GOOD, load_catalog())))


HOSTILE = {
    "surrogate": b'{"task": "train", "model": "\\ud800"}',  # half of a pair
    "no_utf8": b'{"task": "train", "model": "\xff\xfe"}',
    "nul": b'{"task": "train", "model": "7B\x00"}',
    "nan": b'{"task": "train", "model": "7B", "x": NaN}',
    "infinite": b'{"task": "train", "model": "7B", "method": "lora", "alpha": 1e999}',
    "long_number": b'{"task": "train", "model": "7B", "batch": ' + b"9" * 4000 + b"}",
    "longer_number": b'{"task": "train", "model": "7B", "batch": ' + b"9" * 5000 + b"}",
    "deep": b"[" * 100_000,
    "deep_field": b'{"task": "train", "x": ' + b"[" * 900 + b"]" * 900 + b"}",
    "deep_config": b'{"task": "train", "architecture": {"model_type": "llama", "hidden_size": 64,'
    b' "num_attention_heads": 1, "num_hidden_layers": 1, "vocab_size": 9,'
    b' "intermediate_size": 64, "x": ' + b"[" * 900 + b"]" * 900 + b"}}",
}


@pytest.fixture(scope="module")
def said() -> dict[str, list[Document]]:
    """What one run says to each of them, and to the good line behind it."""
    found = answers(*(line for hostile in HOSTILE.values() for line in (hostile, LINE)))
    assert len(found) == 2 * len(HOSTILE)
    return {name: found[2 * place : 2 * place + 2] for place, name in enumerate(HOSTILE)}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_answered_and_the_next_goes_on(
    said: dict[str, list[Document]], name: str
) -> None:
    first, following = said[name]
    assert code(first) is not None
    assert code(following) is None


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_terminal_of_any_encoding_is_answered(encoding: str) -> None:
    assert code(answers(LINE, PYTHONIOENCODING=encoding)[0]) is None


def test_nothing_in_nothing_out() -> None:
    assert answers() == []
