"""Whether the Hub is asked at all: settings, terminals, and what is loaded for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.ask import Desk, Refused, Replied
from bot.asking import ask_and_wait
from bot.command_line import main
from bot.config import Settings, load_settings
from bot.hub.hub import Hub
from bot.hub.later import Later, Off, hub_of
from tests.hub.desk import PLAIN, desk_of
from tests.repo.product import ROOT

NAME = "some/thing-8b"


def test_settings_say_whether_it_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[hub]\ncache_file = "{tmp_path / "hub.sqlite"}"', "utf-8")
    settings = load_settings(file, {"HF_TOKEN": "hf_" + "x1Y2" * 5})
    assert isinstance(hub_of(settings), Hub)
    file.write_text("[hub]\nenabled = false", "utf-8")
    assert isinstance(hub_of(load_settings(file, {})), Off)


def test_a_terminal_waits_for_it() -> None:
    """Also one question after the other, each with an event loop of its own."""
    asked_for: list[int] = []

    def settings() -> Settings:
        asked_for.append(1)
        return Settings()

    desk: Desk = desk_of(Later(settings))
    assert isinstance(ask_and_wait(desk, "infer 7B"), Replied)
    assert asked_for == []
    for _ in range(3):
        found = ask_and_wait(desk, f"infer {NAME}")
        assert isinstance(found, Refused)
        assert found.code == "hub_offline"
    assert asked_for == [1]


def test_a_desk_asks_nobody_unless_it_is_told_whom() -> None:
    assert PLAIN.hub is None
    found = ask_and_wait(PLAIN, f"infer {NAME}")
    assert found.document() == PLAIN.ask(f"infer {NAME}").document()


def test_the_command_line_asks_as_its_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert main(["ask", "--json", f"infer {NAME}"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "hub_offline"
    (tmp_path / "config.toml").write_text("[hub]\nenabled = false", "utf-8")
    assert main(["ask", "--json", f"infer {NAME}"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "hub_switched_off"
    assert main(["ask", f"infer {NAME}"]) == 2
    assert "am set not to ask the Hugging Face Hub" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("behind", [False, True])
def test_settings_of_another_file_hold_for_a_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, behind: bool
) -> None:
    named = ["--config", str(tmp_path / "own.toml")]
    (tmp_path / "own.toml").write_text("[hub]\nenabled = false", "utf-8")
    words = ["ask", *named] if behind else [*named, "ask"]
    assert main([*words, "--json", f"infer {NAME}"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "hub_switched_off"


def test_a_known_model_is_answered_whatever_the_settings_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings are read when there is a question for the Hub, and then have to be right."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text("[hub]\nenabled = 1", "utf-8")
    assert main(["ask", "infer 7B"]) == 0
    capsys.readouterr()
    assert main(["ask", f"infer {NAME}"]) == 78
    assert "`[hub] enabled` is true or false, not 1" in capsys.readouterr().err


def test_the_network_is_not_loaded_for_a_known_model() -> None:
    program = (
        "import sys; from bot.command_line import main; main(['ask', 'infer 7B']); "
        "print(sorted({'aiohttp', 'asyncio', 'sqlite3', 'ssl'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"
