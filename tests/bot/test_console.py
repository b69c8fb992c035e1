"""The console: what is typed there, and what a terminal shows."""

import io

import pytest
from rich.console import Console

from bot.ask import open_desk
from bot.command_line import main
from bot.console import converse, reply
from bot.learning.teach import walk
from bot.surface.terminal import WIDTH

DESK = open_desk()


def console() -> Console:
    """A console without colour whose text can be read back."""
    return Console(file=io.StringIO(), width=WIDTH, color_system=None, legacy_windows=False)


def said(shown: Console) -> str:
    """What was printed, in one line: words may break anywhere."""
    assert isinstance(shown.file, io.StringIO)
    return " ".join(shown.file.getvalue().split())


@pytest.mark.parametrize("line", ["help", "/help", "/vram help", "vram help", "VRAM Help", " ? "])
def test_help_is_that_of_discord(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n"))
    shown = console()
    assert converse(DESK, shown) == 0
    text = said(shown)
    page = DESK.locale.help
    assert page.title in text
    assert page.opening in text
    assert all(section.heading in text for section in page.sections.values())
    assert "train 7B adam lora" in text
    assert page.sections["sure"].text in text
    assert not {"`", "*", "{"} & set(text)
    assert "I do not know" not in text


@pytest.mark.parametrize("line", ["learn", "/learn", "/vram learn", "VRAM Learn "])
def test_the_walk_is_printed_whole(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n"))
    shown = console()
    assert converse(DESK, shown) == 0
    text = said(shown)
    for one in walk(DESK.catalog, DESK.locale):
        assert f"{one.foot}: {one.title}" in text
        assert " ".join(one.bars[0].split()) in text
        assert one.line in text
    assert not {"`", "*", "{"} & set(text)


def test_the_walk_is_asked_for_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "learn"]) == 0
    assert "Step 7 of 7" in capsys.readouterr().out


def test_help_as_a_word_of_a_question_is_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("train 7B adam lora\n"))
    shown = console()
    assert converse(DESK, shown) == 0
    assert DESK.locale.help.title not in said(shown)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train 7B adam lora", ("tight", "unlikely")),
        ("infer 8B", ("tight",)),
        ("train 3B full", ("unlikely",)),
        ("infer 0.5B", ()),
    ],
)
def test_verdicts_between_yes_and_no_are_explained(line: str, words: tuple[str, ...]) -> None:
    shown = console()
    assert reply(DESK, line, shown)
    means = {word: DESK.locale.say(f"means_{word}") for word in ("tight", "unlikely")}
    assert [word for word in means if means[word] in said(shown)] == list(words)


def test_what_is_kept_for_a_server_is_for_discord_alone() -> None:
    shown = console()
    assert not reply(DESK, "team 2x 3090", shown)
    assert "for Discord alone" in said(shown)


def test_a_bare_measured_asks_what_ran() -> None:
    shown = console()
    assert not reply(DESK, "measured", shown)
    assert "I do not know" not in said(shown)
