"""The client that Discord calls over HTTP: logged in, and never connected to the gateway.

It answers as any client does; what it is told comes from the endpoint. Where the gateway is
wanted too, for mentions and direct messages, another client is connected to it, so that no
trouble there keeps a command from its answer.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import discord

from bot.client import VramClient
from bot.config import ConfigError
from bot.endpoint.internals import interaction_parser
from bot.leaving import EVERY_S
from bot.ops.public_key import WHERE_IT_IS
from bot.sections import EndpointSettings

log = logging.getLogger(__name__)

UNREACHABLE = (aiohttp.ClientError, OSError, discord.HTTPException)
EXPECTED = "Application has an interaction endpoint URL set"  # as it has to be here
OTHER_KEY = (
    "`[endpoint] public_key` is not the key of the application that the token is for. "
    f"{WHERE_IT_IS}"
)
NO_URL = (
    "Discord has no Interactions Endpoint URL of this application, so it calls nobody. In the "
    "developer portal, under General Information, write https://, your proxy's name and %s"
)


class EndpointClient(VramClient):
    """Answers what `take` is given; nothing else comes to it."""

    def __init__(self, endpoint: EndpointSettings, *client: Any, **more: Any) -> None:  # noqa: ANN401
        """`client` and `more`: see VramClient."""
        super().__init__(*client, **more)
        self._endpoint = endpoint
        self._parse = interaction_parser(self)
        self._logged_in = False
        self._over = asyncio.Event()

    @property
    def takes(self) -> bool:
        """Whether an answer would get out."""
        return self._logged_in and not self.is_closed()

    def take(self, interaction: dict[str, Any]) -> None:
        """Begin to answer, in a task of its own."""
        self._parse(interaction)

    def is_ready(self) -> bool:
        """There is no session to wait for."""
        return self.takes

    @property
    def hears_discord(self) -> bool:
        """As far as can be known: Discord calls when somebody types."""
        return self.takes

    async def setup_hook(self) -> None:
        """Calls that are signed for another key would all be refused."""
        there = self.application
        if there is not None and there.verify_key.lower() != self._endpoint.public_key:
            raise ConfigError([OTHER_KEY])
        if there is not None and not there.interactions_endpoint_url:
            log.warning(NO_URL, self._endpoint.path)
        await super().setup_hook()

    async def _find_gateway(self) -> None:
        """Nobody connects."""

    async def connect(self, *, reconnect: bool = True) -> None:
        """Take calls until it is closed."""
        del reconnect
        self._logged_in = True
        log.info("ready, by HTTP")
        if self._painter is not None:
            self._painter.start()
        if not (self._endpoint.gateway or self._leaving is None or self.is_closed()):
            self._looking = asyncio.create_task(self._look_hourly())
        await self._over.wait()

    async def close(self) -> None:
        await super().close()
        self._over.set()

    async def _look_hourly(self) -> None:
        """Without the gateway nobody says that a server removed the bot: a list lacks it."""
        while self._leaving is not None:
            there = await self._listed()
            if there is not None:
                await self._leaving.look(there)
            await asyncio.sleep(EVERY_S)

    async def _listed(self) -> frozenset[int] | None:
        """The servers that the bot is in; None where Discord does not say."""
        try:
            found = [one.id async for one in self.fetch_guilds(limit=None, with_counts=False)]
        except UNREACHABLE as error:
            log.warning("the servers that the bot is in are not known: %s", type(error).__name__)
            return None
        return frozenset(found)


@contextmanager
def url_expected() -> Iterator[None]:
    """Within, discord.py's warning that there is such an address is left out of the log."""

    def concerns(record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith(EXPECTED)

    logger = logging.getLogger("discord.client")
    logger.addFilter(concerns)
    try:
        yield
    finally:
        logger.removeFilter(concerns)
