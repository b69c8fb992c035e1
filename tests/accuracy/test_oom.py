"""Out-of-memory messages: the scorer, and how many of their fields are right."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from bot.reading.oom.message import OomKind
from tests.accuracy.__main__ import main
from tests.accuracy.oom import FOR_PEOPLE, same, score, scores_of
from tests.accuracy.queries import Field, Mark
from tests.accuracy.truth import read_rows

FILES = ("oom", "own_oom", "further_oom")
LEAST = 99  # percent of fields
MESSAGE = "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 1; 8.00 GiB total capacity)"


def path(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.jsonl")


@cache
def fields(name: str) -> Sequence[Field]:
    return scores_of(read_rows(path(name)))


@pytest.mark.parametrize("name", FILES)
def test_messages_are_read_as_programs_print_them(name: str) -> None:
    right = sum(one.mark is Mark.RIGHT for one in fields(name))
    assert 100 * right / len(fields(name)) >= LEAST


@pytest.mark.parametrize("name", FILES)
def test_no_message_is_of_another_kind(name: str) -> None:
    assert [one for one in fields(name) if one.key == "kind" and one.mark is Mark.WRONG] == []


def test_own_messages_are_of_every_kind() -> None:
    expected = {row["expect"]["kind"] for name in FILES for row in read_rows(path(name))}
    assert expected == set(OomKind)


@pytest.mark.parametrize(
    ("expected", "found", "right"),
    [
        ("1.00 GiB", 1_073_741_824, True),
        ("1.00 GiB", 1_080_000_000, True),
        ("1.00 GiB", 1_090_000_000, False),
        ("0 bytes", 0, True),
        ("0 bytes", 1, False),
        ("1.00 GB", 1_073_741_824, True),
        (True, True, True),
        (True, False, False),
        (3, 3, True),
        (3, 4, False),
        ("CUDA", "cuda", True),
        ([2, 3], [2, 3], True),
        ([2, 3], [2], False),
        ([{"pid": 1, "used": "1 GiB"}], [{"pid": 1, "used": 1_073_741_824}], True),
        ([{"pid": 1, "used": "1 GiB"}], [{"pid": 2, "used": 1_073_741_824}], False),
    ],
)
def test_what_is_the_same(expected: object, found: object, *, right: bool) -> None:
    assert same(expected, found, decimal=False) is right


def test_gigabytes_of_programs_that_count_in_thousands() -> None:
    assert same("1.00 GB", 1_000_000_000, decimal=True)
    assert not same("1.00 GB", 1_073_741_824, decimal=True)


def test_what_is_not_there_is_not_right() -> None:
    expect = {"kind": "cuda_oom", "tried": "2.00 GiB", "free": "1.00 GiB", "hint": "for people"}
    marks = [one.mark for one in score({"id": "x-1", "text": MESSAGE, "expect": expect})]
    assert marks == [Mark.RIGHT, Mark.WRONG, Mark.UNANSWERED]
    nothing = score({"id": "x-2", "text": "hello", "expect": expect})
    assert {one.mark for one in nothing} == {Mark.UNANSWERED}


def test_every_field_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oom", str(path("oom")), "--worst", "3"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    expected = sum(key not in FOR_PEOPLE for row in read_rows(path("oom")) for key in row["expect"])
    assert last.startswith(f"overall n={expected} right=")
    assert " wrong=" in last
    assert " unanswered=" in last
