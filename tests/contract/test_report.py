"""The report: counts by kind, every failure, the overall line, and the exit status."""

import json
from pathlib import Path

import pytest

from tests.contract.__main__ import main
from tests.contract.sample import CALLBACK, CONTENT, answer, request
from tests.wire.recorded import Request
from tests.wire.recording import record

NAME = "test_the_report_names_every_kind_and_every_failure"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "document.json"
    path.write_text(json.dumps(CONTENT), encoding="utf-8")
    return path


GOOD = request("POST", CALLBACK, answer(content="x"))
BAD = request("POST", CALLBACK, answer(content="too long"))
UNKNOWN = request("POST", "/nowhere", {})
LOGIN = request("GET", "/users/@me")


@pytest.mark.parametrize(
    ("requests", "status", "overall"),
    [
        ([GOOD, LOGIN], 0, "overall n=1 failed=0 unmatched=0"),
        ([GOOD, BAD, BAD], 1, "overall n=3 failed=2 unmatched=0"),
        ([GOOD, UNKNOWN], 1, "overall n=1 failed=0 unmatched=1"),
        ([LOGIN], 1, "overall n=0 failed=0 unmatched=0"),
        ([], 1, "overall n=0 failed=0 unmatched=0"),
    ],
)
def test_the_exit_status(
    tmp_path: Path,
    document: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    requests: list[Request],
    status: int,
    overall: str,
) -> None:
    record(requests, tmp_path / "records")
    assert main(["--records", str(tmp_path / "records"), str(document)]) == status
    assert capsys.readouterr().out.splitlines()[-1] == overall


def test_the_report_names_every_kind_and_every_failure(
    tmp_path: Path, document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "records"
    record([GOOD, GOOD, BAD, LOGIN], folder, frames={"IDENTIFY": 2})
    record([GOOD, BAD], folder, frames={"IDENTIFY": 1, "RESUME": 1}, on_purpose=True)
    main(["--records", str(folder), str(document)])
    assert capsys.readouterr().out.splitlines() == [
        "validated: 4",
        "      4  Answer",
        "calls without a body: 1",
        "      1  GET /users/@me",
        "wrong on purpose, to try the stand-in: 1",
        "      1  Answer",
        "frames of the gateway, which the document does not describe: 4",
        "      3  IDENTIFY",
        "      1  RESUME",
        f"failed ×1: POST {CALLBACK} as Answer",
        f"    in tests/contract/test_report.py::{NAME}",
        "    data.content: 'too long' is too long",
        "overall n=4 failed=1 unmatched=0",
    ]


def test_an_absent_document_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "absent.json")])
    assert "absent.json is no file" in capsys.readouterr().err


PROGRAM = """
from tests.wire.recorded import Request
from tests.wire.recording import record, wanted

def test_one():
    folder = wanted()
    assert folder is not None
    body = {{"type": 5}}
    record([Request("POST", "{route}", "", {{}}, {{}}, 0, body)], folder)
    assert {holds}
"""


@pytest.mark.parametrize("holds", [True, False])
def test_the_tests_are_run_and_must_pass(
    tmp_path: Path, document: Path, capfd: pytest.CaptureFixture[str], *, holds: bool
) -> None:
    file = tmp_path / "test_one.py"
    file.write_text(PROGRAM.format(route=CALLBACK, holds=holds), encoding="utf-8")
    status = main([str(document), "-q", "-p", "no:cacheprovider", str(file)])
    assert status == (0 if holds else 1)
    assert capfd.readouterr().out.splitlines()[-1] == "overall n=1 failed=0 unmatched=0"
