"""`python -m bot oom`: a log from a file or a pipe, in a terminal and as JSON."""

import io
import json
from pathlib import Path

import pytest

from bot.command_line import main
from bot.exits import Exit
from tests.golden.messages import FULL

SETTINGS = "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing"


def test_a_log_of_a_file_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_text("step 1\n" * 5000 + FULL, encoding="utf-8")
    assert main(["oom", str(log), SETTINGS]) == Exit.DONE
    said = capsys.readouterr().out
    assert "The card is full: 2.32 GiB more was wanted" in " ".join(said.split())
    assert "train Qwen/Qwen2.5-7B lora grad ckpt liger bs 2 seq 2048, rtx-3090" in said
    assert not {"`", "*"} & set(said)


def test_what_is_piped_in_is_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(FULL))
    assert main(["oom", "-", "--json"]) == Exit.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["message"]["kind"] == "cuda_oom"
    assert document["causes"][0]["cause"] == "full"


def test_a_log_without_one_is_not_understood(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("all is well"))
    assert main(["oom", "-"]) == Exit.NOT_UNDERSTOOD
    assert "I find no out-of-memory message" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["missing.log", "folder", "a\0b"])
def test_a_file_that_cannot_be_read_is_said_so(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    assert main(["oom", str(tmp_path / name)]) == Exit.CONFIGURATION
    assert "cannot be read" in capsys.readouterr().err
