"""The bot as it runs, in this process: its supervisor and the real client, on a stand-in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.ask import Desk, open_desk
from bot.asking import warmed
from bot.client import VramClient, point_at
from bot.cooldown import Cooldowns
from bot.delivery import Patience
from bot.exits import Exit
from bot.handover import Handover
from bot.pace import Backoff, Pace
from bot.pictures.painter import Painter
from bot.remembering import Remembered
from bot.sections import DiscordSettings
from bot.supervisor import Supervisor
from tests.wire.aim import aimed_at
from tests.wire.standin import StandIn

DESK = warmed(open_desk())
DESK.answers = DESK.begun = Remembered(most=0)  # each test has its questions worked out
FIRST_WAIT_S = 0.01
CALLBACK = "/interactions/{id}/{token}/callback"
COMMANDS = "/applications/{app}/commands"
QUERY = {"query": "7B adam lora"}
VERDICT = "15.7 GiB (16.9 GB)"
# A bot that gives up soon.
BRIEF = Patience(0.1, 0.1, beside=0.05, each=0.1, pause=0.01, longest_pause=0.05, hasty=0.05)


@dataclass
class Running:
    """A bot that was started; `ended` is its exit status, once it has one."""

    supervisor: Supervisor
    task: asyncio.Task[Exit]

    @property
    def client(self) -> VramClient:
        assert self.supervisor.client is not None
        return self.supervisor.client

    async def ended(self) -> Exit:
        return await self.task


def supervised(
    standin: StandIn,
    *,
    token: str | None = None,
    drain_s: float = 3.0,
    patience_s: float = 120.0,
    pace: Pace | None = None,
    desk: Desk = DESK,
    painter: Painter | None = None,
    cooldowns: Cooldowns | None = None,
    handover: Handover | None = None,
    **settings: object,
) -> Supervisor:
    """A supervisor that waits for nothing it need not wait for.

    Without `cooldowns` anybody asks as much as they like, but for messages.
    """
    discord = DiscordSettings.model_validate({"api_base": standin.api_base} | settings)
    point_at(discord)
    pace = pace or Pace(an_hour=100_000, gap_s=0)
    make = partial(VramClient, desk, discord, pace, drain_s, painter)
    return Supervisor(
        make=partial(make, cooldowns=cooldowns or Cooldowns(), handover=handover),
        token=standin.token if token is None else token,
        backoff=Backoff(longest_s=FIRST_WAIT_S, first_s=FIRST_WAIT_S),
        pace=pace,
        patience_s=patience_s,
    )


@asynccontextmanager
async def started(standin: StandIn, **how: object) -> AsyncIterator[Running]:
    """Start the bot, and stop it at the end as SIGTERM does."""
    with aimed_at(standin):
        supervisor = supervised(standin, **how)  # type: ignore[arg-type]  # passed on as given
        running = Running(supervisor, asyncio.create_task(supervisor.run()))
        try:
            yield running
        finally:
            supervisor.stop()
            await running.task


@asynccontextmanager
async def ready(standin: StandIn, **how: object) -> AsyncIterator[Running]:
    """The bot, connected."""
    async with started(standin, **how) as running:
        await standin.ready()
        yield running


async def answers(standin: StandIn, *, check: bool = True, **who: Any) -> bool:  # noqa: ANN401
    """Whether a question gets its answer; not to `check` leaves open what Discord knows of it."""
    asked = await standin.slash("vram train", QUERY, check=check, **who)
    reply = await asked.finished(timeout=60)
    return str(reply.embeds[0]["title"]).startswith(VERDICT)
