"""The bot that Discord calls over HTTP, in this process, in the place of `our_bot`'s."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import test_utils

from bot.endpoint.client import EndpointClient
from bot.endpoint.opening import endpoint_of
from bot.sections import EndpointSettings
from bot.supervisor import Supervisor
from bot.together import run_together
from tests.wire.aim import aimed_at
from tests.wire.our_bot import Running, supervised
from tests.wire.standin import StandIn

LOOPBACK = "127.0.0.1"
PATIENCE_S = 60


@dataclass
class Called(Running):
    """`supervisor` is that of the client which answers; `url` is where it is called."""

    url: str = ""
    port: int = 0


def endpoint(standin: StandIn, **settings: Any) -> EndpointSettings:  # noqa: ANN401
    """Settings for the application of a stand-in."""
    return EndpointSettings.model_validate(
        {
            "enabled": True,
            "public_key": standin.caller.public_key,
            "port": test_utils.unused_port(),
            "gateway": False,
            **settings,
        }
    )


def over_http(settings: EndpointSettings, standin: StandIn, **how: Any) -> Supervisor:  # noqa: ANN401
    """A supervisor of the client that is called."""
    life = supervised(standin, **how)
    life.make = partial(EndpointClient, settings, *life.make.args)  # type: ignore[attr-defined]
    return life


@asynccontextmanager
async def begun(
    standin: StandIn,
    *,
    gateway: bool = False,
    settings: EndpointSettings | None = None,
    **how: Any,  # noqa: ANN401 - see `supervised`
) -> AsyncIterator[Called]:
    """Start the bot, and stop it at the end as SIGTERM does."""
    settings = settings or endpoint(standin, gateway=gateway)
    with aimed_at(standin):
        life = over_http(settings, standin, **how)
        lives = [life, supervised(standin, sync_on_start=False, **how)] if gateway else [life]
        url = f"http://{LOOPBACK}:{settings.port}{settings.path}"
        async with endpoint_of(settings, life):
            running = Called(life, asyncio.create_task(run_together(lives)), url, settings.port)
            try:
                yield running
            finally:
                for one in lives:
                    one.stop()
                await running.task


@asynccontextmanager
async def called(standin: StandIn, **how: Any) -> AsyncIterator[Called]:  # noqa: ANN401
    """The bot, logged in, its address tried and taken by Discord."""
    async with begun(standin, **how) as running:
        await until(running.supervisor.is_ready)
        assert await standin.caller.try_out(running.url) == []
        yield running


@asynccontextmanager
async def heard(standin: StandIn, **how: Any) -> AsyncIterator[Called]:  # noqa: ANN401
    """The same, connected to the gateway as well, where messages come."""
    async with called(standin, gateway=True, **how) as running:
        await standin.ready()
        yield running


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds of a bot in this process."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)
