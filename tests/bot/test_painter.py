"""The process that draws: asked, killed, silent, wrong, and gone with whoever started it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.pictures import painter as painting
from bot.pictures.painter import Painter
from bot.pictures.sample import SAMPLE

SIGNATURE = b"\x89PNG"
PATIENCE_S = 60

# A process that talks as the one that draws does, and says each specification backwards.
HEAD = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, os.getcwd())
from bot.pictures.frames import answer, read_question
seen = Path(sys.argv[1])
def say(text): sys.stdout.buffer.write(answer(text, drawn=True)); sys.stdout.buffer.flush()
while (asked := read_question(sys.stdin.buffer)) is not None:
    with seen.open("a") as file: file.write(asked[:20] + "\\n")
    count = seen.read_text().count("\\n")
"""
PLAIN = HEAD + "    say(asked[::-1].encode())\n"

Program = Callable[[str], tuple[str, ...]]


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "seen"


@pytest.fixture
def program(seen: Path) -> Program:
    """The command of a process that does as it is written."""
    return lambda text: (sys.executable, "-c", text, str(seen))


@asynccontextmanager
async def started(*command: str) -> AsyncIterator[Painter]:
    painter = Painter(command) if command else Painter()
    painter.start()
    try:
        yield painter
    finally:
        await painter.close()


def said(seen: Path) -> list[str]:
    """What it was asked for, behind the one that warms it."""
    return seen.read_text(encoding="utf-8").split("\n")[1:-1]


async def of(painter: Painter, text: str) -> bytes | None:
    async with asyncio.timeout(PATIENCE_S):
        drawn = painter.paint(text)
        await asyncio.wait({drawn})
        return drawn.result()


async def test_it_draws() -> None:
    async with started() as painter:
        picture = await of(painter, SAMPLE)
    assert picture is not None
    assert picture.startswith(SIGNATURE)


async def test_what_cannot_be_drawn_is_none_and_the_next_is_drawn() -> None:
    async with started() as painter:
        assert await of(painter, "no JSON") is None
        assert await of(painter, '{"marks": 5}') is None or painter.starts == 1
        assert await of(painter, SAMPLE) is not None
        assert painter.starts == 1


async def test_nothing_is_fetched_whatever_a_specification_says(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('[{"a": 1}]', encoding="utf-8")
    text = (
        '{"$schema":"https://vega.github.io/schema/vega/v5.json","width":9,"height":9,'
        f'"data":[{{"name":"d","url":"file://{secret}"}}],"marks":[{{"type":"rect",'
        '"from":{"data":"d"},"encode":{"enter":{"x":{"value":0},"y":{"value":0},'
        '"width":{"value":9},"height":{"value":9},"fill":{"value":"#ff0000"}}}}]}'
    )
    from bot.pictures.drawing import draw  # noqa: PLC0415  (this process draws nothing else)

    blank = text.replace(f'"url":"file://{secret}"', '"values":[]')
    try:
        picture = draw(text)
    except ValueError:
        return
    assert picture == draw(blank)


async def test_equal_pictures_are_drawn_once_and_the_last_are_kept(
    program: Program, seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "MOST_KEPT", 2)
    async with started(*program(PLAIN)) as painter:
        both = [painter.paint("ab"), painter.paint("ab")]
        assert [await of(painter, "ab"), (await both[0]), (await both[1])] == [b"ba"] * 3
        for text in ("ab", "cd", "ab", "ef", "ab", "cd"):
            assert await of(painter, text) == text[::-1].encode()
    assert said(seen) == ["ab", "cd", "ef", "cd"]


async def test_who_comes_when_many_wait_gets_none_at_once(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "MOST_WAITING", 2)
    async with started(*program(PLAIN)) as painter:
        drawn = [painter.paint(text) for text in ("one", "two", "three")]
        assert drawn[2].done()
        assert drawn[2].result() is None
        assert [await drawn[0], await drawn[1]] == [b"eno", b"owt"]


async def test_without_a_start_and_after_the_end_there_is_none() -> None:
    painter = Painter()
    assert await of(painter, SAMPLE) is None
    painter.start()
    waiting = painter.paint(SAMPLE)
    await painter.close()
    assert waiting.result() is None
    assert await of(painter, SAMPLE) is None


async def test_a_process_that_dies_over_a_picture_is_followed_by_one_that_draws_it(
    program: Program,
) -> None:
    dying = HEAD + "    os._exit(1) if count == 2 else say(asked[::-1].encode())\n"
    async with started(*program(dying)) as painter:
        assert await of(painter, "ab") == b"ba"
        assert painter.starts == 2


async def test_a_picture_that_ends_every_process_is_given_up(program: Program) -> None:
    dying = HEAD + "    os._exit(1) if asked == 'bad' else say(asked[::-1].encode())\n"
    async with started(*program(dying)) as painter:
        bad, good = painter.paint("bad"), painter.paint("good")
        assert await bad is None
        assert await good == b"doog"
        assert painter.starts == 3


async def test_one_that_dies_while_nobody_asks_is_replaced(program: Program) -> None:
    once = HEAD + "    say(b'.')\n    os._exit(0) if count == 1 else None\n"
    async with started(*program(once)) as painter, asyncio.timeout(PATIENCE_S):
        while painter.starts < 2:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)
        assert await of(painter, "ab") == b"."


async def test_one_that_is_silent_is_ended(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.pictures.hand.LONGEST_S", 2)
    silent = HEAD + "    time.sleep(99) if asked == 'bad' else say(asked[::-1].encode())\n"
    async with started(*program(silent)) as painter:
        assert await of(painter, "ab") == b"ba"
        bad, good = painter.paint("bad"), painter.paint("good")
        assert await bad is None
        assert await good == b"doog"


async def test_one_that_says_nonsense_is_ended(program: Program) -> None:
    wrong = HEAD + "    sys.stdout.write('x' * 50); sys.stdout.flush()\n"
    async with started(*program(wrong)) as painter, asyncio.timeout(PATIENCE_S):
        while painter.starts < 3:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)


async def test_who_waits_too_long_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painting, "PATIENCE_S", 0.05)
    async with started("false") as painter:
        assert await of(painter, SAMPLE) is None
