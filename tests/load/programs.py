"""A program in a process of its own, connected to the stand-in: the bot, or the floor."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from aiohttp import test_utils

from tests.load.processes import pin
from tests.repo.product import ROOT
from tests.wire.painters import drawers
from tests.wire.standin import StandIn

LEAVE_WITHIN_S = 20.0
LOG = "program.log"
NOT_IN_THE_PRODUCT = ("zstandard",)  # which discord.py would use, since it is here for tests


@dataclass(frozen=True)
class Program:
    """One that was started. `begun`: when, in the stand-in's time; `log`: all that it says."""

    process: asyncio.subprocess.Process
    begun: float
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def drawer(self) -> int | None:
        """The process that draws for it, if there is one now."""
        return next(iter(drawers(self.pid)), None)

    async def stop(self) -> int:
        """Ask it to end, as an operator does; its exit status."""
        if self.process.returncode is None:
            self.process.terminate()
        async with asyncio.timeout(LEAVE_WITHIN_S):
            return await self.process.wait()


@asynccontextmanager
async def the_bot(
    standin: StandIn,
    folder: Path,
    core: int | None = None,
    more: str = "",
    **how: Mapping[str, str],
) -> AsyncIterator[Program]:
    """`python -m bot` with the settings that it has anyhow; `more` is put below them."""
    _put(
        folder / "config.toml",
        f'[discord]\napi_base = "{standin.api_base}"\n'
        f"[health]\nport = {test_utils.unused_port()}\n{more}",
    )
    async with program(("bot",), standin, folder, core, **how) as running:
        yield running


@asynccontextmanager
async def the_floor(
    standin: StandIn, folder: Path, core: int | None = None
) -> AsyncIterator[Program]:
    """The bare bot, which says the same to everything."""
    words = ("tests.load.floor", standin.api_base, standin.gateway_url)
    async with program(words, standin, folder, core) as running:
        yield running


@asynccontextmanager
async def program(
    words: Sequence[str],
    standin: StandIn,
    folder: Path,
    core: int | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    first: Mapping[str, str] | None = None,
) -> AsyncIterator[Program]:
    """`python -m` with `words`, in a folder of its own; ended at the end, or killed.

    `first`: modules by their names, that it finds before all others.
    """
    absent = dict.fromkeys(NOT_IN_THE_PRODUCT, "raise ImportError")
    own = folder / "first"
    for module, text in {**absent, **(first or {})}.items():
        _put(own / f"{module}.py", text)
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    log = folder / LOG
    with log.open("ab") as said:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *words),
            cwd=folder,
            env={
                **inherited,
                "PYTHONPATH": f"{own}:{ROOT}",
                "DISCORD_TOKEN": standin.token,
                **(environment or {}),
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    running = Program(process, monotonic(), log)
    pin(process.pid, core)
    try:
        yield running
        await running.stop()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
