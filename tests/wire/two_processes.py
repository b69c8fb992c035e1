"""Two processes of the program with one token, half of the shards each, and one store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession, test_utils

from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, program, settings

SHARDS, EACH = 4, 2
IN_STORE = 'identify_queue = "store"'


@dataclass(frozen=True)
class Two:
    """Where each says how it is."""

    ports: tuple[int, int]

    async def statuses(self) -> list[int]:
        """What each says of whether it is ready."""
        found = []
        async with ClientSession() as session:
            for port in self.ports:
                async with session.get(f"http://127.0.0.1:{port}/readyz") as said:
                    found.append(said.status)
        return found


@asynccontextmanager
async def two_processes(standin: StandIn, folder: Path, store_url: str) -> AsyncIterator[Two]:
    """Both connected; whichever they are, Discord lets all shards begin at once."""
    standin.settings.shards = standin.settings.max_concurrency = SHARDS
    standin.settings.identify_window_s = PATIENCE_S
    ports = (test_utils.unused_port(), test_utils.unused_port())
    async with AsyncExitStack() as running:
        for number, port in enumerate(ports):
            own = folder / str(number)
            own.mkdir()
            environment = {
                "DISCORD_TOKEN": standin.token,
                "STORE_URL": store_url,
                "SHARD_COUNT": str(SHARDS),
                "SHARDS_PER_PROCESS": str(EACH),
                "SHARD_PROCESS": f"vram-bot-{number}",
            }
            config = settings(standin, port, IN_STORE)
            await running.enter_async_context(program(own, config=config, environment=environment))
        await standin.ready(sessions=SHARDS, timeout=PATIENCE_S)
        standin.settings.answer_within_s = PATIENCE_S
        yield Two(ports)
