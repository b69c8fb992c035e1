"""The bot as a process of its own, with its default pace and waits, on a stand-in."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from aiohttp import test_utils

from tests.repo.product import ROOT
from tests.wire.standin import StandIn

START_S = 120.0
STOP_S = 30.0


class Subject:
    """`python -m bot` in a folder; its log goes to a file there. `quiet`: nobody asks just now."""

    def __init__(self, standin: StandIn, folder: Path) -> None:
        self.standin = standin
        self.quiet = False
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        port = test_utils.unused_port()
        config = f'[discord]\napi_base = "{standin.api_base}"\n[health]\nport = {port}\n'
        (folder / "config.toml").write_text(config, "utf-8")

    @property
    def log(self) -> str:
        """What it has written so far."""
        return (self._folder / "log").read_text("utf-8", errors="replace")

    async def start(self) -> None:
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        token = {"DISCORD_TOKEN": self.standin.token, "PYTHONPATH": str(ROOT)}
        with (self._folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot"),
                cwd=self._folder,
                env={**inherited, **token},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """As the kernel does where memory runs out."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> int:
        """SIGTERM; the exit status. What does not end is killed."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.terminate()
        try:
            return await asyncio.wait_for(self._process.wait(), STOP_S)
        except TimeoutError:
            await self.kill()
            raise
