"""Painters for tests: one that draws when it is told to, and one that really draws."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.pictures.painter import Drawn, Painter

needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
PNG = b"\x89PNG\r\n\x1a\n a picture, as far as Discord looks"


class Held(Painter):
    """Keeps each picture back until the test lets it go."""

    def __init__(self) -> None:
        super().__init__(("false",))
        self.asked: list[Drawn] = []
        self.more = asyncio.Event()

    def start(self) -> None:
        """There is no process."""

    def paint(self, specification: str) -> Drawn:
        del specification
        drawn: Drawn = asyncio.get_running_loop().create_future()
        self.asked.append(drawn)
        self.more.set()
        return drawn

    async def let_go(self, picture: bytes | None = PNG) -> None:
        """Hand over the oldest picture, once one is asked for."""
        async with asyncio.timeout(10):
            await self.more.wait()
        drawn = self.asked.pop(0)
        if not self.asked:
            self.more.clear()
        drawn.set_result(picture)


@asynccontextmanager
async def drawing() -> AsyncIterator[Painter]:
    """A painter with its process, as the program has it."""
    painter = Painter()
    try:
        yield painter
    finally:
        await painter.close()


def drawers(of: int) -> list[int]:
    """The processes that draw for the process `of`."""
    tasks = Path(f"/proc/{of}/task").iterdir()
    children = (child for task in tasks for child in (task / "children").read_text("ascii").split())
    return [
        int(child)
        for child in children
        if b"bot.pictures.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
