"""A process that draws, as the bot has it: started, asked, ended."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.pictures.frames import ANSWER, question

COMMAND = (sys.executable, "-m", "bot.pictures.worker")
FOLDER = Path(__file__).parents[2]  # where `bot` is found
LONGEST_S = 15.0  # for one picture; the first one loads the library
LONGEST = 10_000_000  # bytes of a picture; Discord takes no larger file

# Of the environment what a program needs to start: no token goes along.
NEEDED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")


class DrawerEndedError(Exception):
    """The process is gone, or does not answer."""


class NotDrawnError(Exception):
    """The process says why it could not draw; it goes on."""


class Hand:
    """One process. Asked one thing at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def ended(self) -> None:
        """Wait until it is gone."""
        await self._process.wait()

    async def draw(self, specification: str) -> bytes:
        """The picture. Raises NotDrawnError, or DrawerEndedError where nothing comes any more."""
        source, sink = self._process.stdout, self._process.stdin
        if source is None or sink is None:
            raise DrawerEndedError("it has no pipes")
        try:
            async with asyncio.timeout(LONGEST_S):
                sink.write(question(specification))
                await sink.drain()
                drawn, length = ANSWER.unpack(await source.readexactly(ANSWER.size))
                if length > LONGEST:
                    raise DrawerEndedError("it says what is no picture")
                body = await source.readexactly(length)
        except TimeoutError:
            raise DrawerEndedError(f"it was silent for {LONGEST_S:g} s") from None
        except (OSError, asyncio.IncompleteReadError):
            raise DrawerEndedError("it is gone") from None
        if not drawn:
            raise NotDrawnError(body.decode(errors="replace"))
        return body


@asynccontextmanager
async def hand(command: Sequence[str] = COMMAND) -> AsyncIterator[Hand]:
    """Start the process, and end it. Raises OSError where it cannot be started."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=FOLDER,
        env=_environment(os.environ),
    )
    try:
        yield Hand(process)
    finally:
        if process.returncode is None:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


def _environment(whole: Mapping[str, str]) -> dict[str, str]:
    return {name: whole[name] for name in NEEDED if name in whole}
