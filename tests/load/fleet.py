"""Several processes of the bot with one token, each with its shards, on one stand-in.

They share a store, an SQLite file, in which they take turns to begin, and in which one that is
stopped leaves its sessions. A process can be started beside the one that it replaces.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import connect

from aiohttp import ClientError, ClientSession, test_utils

from tests.load.processes import waited_s
from tests.load.programs import Program, program
from tests.wire.connection import Connection
from tests.wire.standin import StandIn

STORE = "shared.sqlite3"
PATIENCE_S = 240.0  # for a process to be ready; its shards begin 5 s apart
LOOK_S = 0.05
FAULT = re.compile(r" (?:ERROR|CRITICAL) |Traceback ")
FIRST_GUILD = 1 << 37  # as a time, in ms: of 2019
TIME_BITS = 22  # of an id, below its time


@dataclass(frozen=True)
class Size:
    """So many processes of so many shards each, in so many servers all together."""

    processes: int
    shards: int
    servers: int

    @property
    def count(self) -> int:
        """Of all shards."""
        return self.processes * self.shards

    def of(self, number: int) -> range:
        """The shards of one process."""
        return range(number * self.shards, (number + 1) * self.shards)

    @property
    def guilds(self) -> list[str]:
        """Ids of the servers: as many for each shard."""
        return [str(FIRST_GUILD + number << TIME_BITS) for number in range(self.servers)]


@dataclass
class Process:
    """One of them. `number`: which, as the pods of a StatefulSet are numbered."""

    number: int
    port: int
    running: Program

    @property
    def faults(self) -> list[str]:
        """What it logged of errors."""
        text = self.running.log.read_text("utf-8", errors="replace")
        return [line for line in text.splitlines() if FAULT.search(line)]


@dataclass(frozen=True)
class Gap:
    """In seconds, from the end of a shard's old connection: to its new session, and its answer."""

    shard: int
    session_s: float
    answer_s: float
    resumed: bool


@dataclass
class Fleet:
    """All that run now, and all that ever did; `exits`: of those that were stopped."""

    standin: StandIn
    folder: Path
    size: Size
    _stack: AsyncExitStack
    now: dict[int, Process] = field(default_factory=dict)
    started: list[Process] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)
    starved_s: float = 0.0  # for which those that were stopped wanted a core that others had

    async def start(self, number: int) -> Process:
        """A process with the shards of this number; it may take a while until it is ready."""
        folder = self.folder / f"{len(self.started)}"
        folder.mkdir()
        port = test_utils.unused_port()
        (folder / "config.toml").write_text(
            f'[discord]\napi_base = "{self.standin.api_base}"\nshard_count = {self.size.count}\n'
            f'shards_per_process = {self.size.shards}\nidentify_queue = "store"\n'
            f'[store]\nurl = "sqlite:///{self.folder / STORE}"\n[health]\nport = {port}\n'
            "[pictures]\nenabled = false\n[hub]\nenabled = false\n",
            encoding="utf-8",
        )
        environment = {"SHARD_PROCESS": f"vram-bot-{number}"}
        own = program(("bot",), self.standin, folder, environment=environment)
        process = Process(number, port, await self._stack.enter_async_context(own))
        self.started.append(process)
        return process

    async def ready(self, process: Process) -> None:
        """Wait until it says that it is, and take it for the one of its number from then on."""
        async with ClientSession() as session, asyncio.timeout(PATIENCE_S):
            while not await _is_ready(session, process.port):
                if process.running.process.returncode is not None:
                    raise AssertionError(f"it ended: {process.faults[-3:]}")
                await asyncio.sleep(LOOK_S)
        self.now[process.number] = process
        forget_guilds(self.standin)

    async def stop(self, process: Process) -> None:
        """SIGTERM, as all that orchestrate do."""
        self.starved_s += waited_s(process.running.pid)
        self.exits.append(await process.running.stop())

    async def overlapping(self, number: int) -> None:
        """Another process beside this one; when it is ready, this one is stopped."""
        old, new = self.now[number], await self.start(number)
        await self.ready(new)
        await self.stop(old)

    async def in_its_place(self, number: int) -> None:
        """Stop it, and start another when it is gone, as a StatefulSet does."""
        await self.stop(self.now[number])
        await self.ready(await self.start(number))

    @property
    def faults(self) -> list[str]:
        return [line for process in self.started for line in process.faults]

    def connections(self, shard: int) -> list[Connection]:
        """Those of a shard on which a session was under way, the oldest first."""
        found = [one for one in self.standin.connections if one.began_at is not None]
        return [one for one in found if (one.shard or (0, 1))[0] == shard]


@asynccontextmanager
async def fleet(standin: StandIn, folder: Path, size: Size) -> AsyncIterator[Fleet]:
    """All processes, ready, as if they had been for an hour; what began since is counted anew.

    All shards begin at once, as Discord lets those of a large bot.
    """
    standin.world.guilds[:] = size.guilds
    standin.settings.shards = standin.settings.max_concurrency = size.count
    async with AsyncExitStack() as stack:
        started = Fleet(standin, folder, size, stack)
        first = [await started.start(number) for number in range(size.processes)]
        for process in first:
            await started.ready(process)
        with closing(connect(folder / STORE)) as store, store:
            store.execute("DELETE FROM vram_identifies")
        yield started


def forget_guilds(standin: StandIn) -> None:
    """What told of servers is read: nobody asks for it again, and it is large."""
    for connection in standin.connections:
        if connection.session is not None:
            log = connection.session.log
            log[:] = [frame for frame in log if frame["t"] != "GUILD_CREATE"]


async def _is_ready(session: ClientSession, port: int) -> bool:
    try:
        async with session.get(f"http://127.0.0.1:{port}/readyz") as said:
            return said.status == 200
    except (ClientError, OSError):
        return False
