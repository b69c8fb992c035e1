"""The bot on a page of this machine: the very client, in a simulated Discord.

The client is the one that answers on Discord, with its commands, replies and buttons. What it
sends goes to simcord instead, which keeps Discord's rules and shows the channel to a browser.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import simcord
from simcord.preview import _markdown as drawn

from bot.ask import Desk
from bot.client import VramClient
from bot.pace import Pace
from bot.pictures.painter import Painter
from bot.sections import DiscordSettings
from bot.typist import Typist, first_options

BOT, SERVER, CHANNEL = "vram-bot", "Try it", "vram"
YOU, FRIEND = "you", "a friend"  # two, so that a press by another can be tried
NOWHERE = DiscordSettings(shard_count=1, gateway_url="ws://127.0.0.1:9/")  # nothing connects to it
WITH_COMMANDS = ("embed_description", "embed_field_value")  # parts of an embed
PATIENCE_S = 10.0  # for one answer; timers of the bot that are further away are not waited for


@dataclass(frozen=True, slots=True)
class World:
    """A Discord of one server, where the bot is."""

    env: simcord.Env
    channel: simcord.ChannelHandle
    you: Typist
    friend: Typist


class PageClient(VramClient):
    """The very client. Its one server is never left unheard, and an hour is no time there."""

    def _look_for_left(self) -> None:
        """`bring_to_today` lets months pass there: that would be thousands of looks."""


@asynccontextmanager
async def drawing() -> AsyncIterator[Painter]:
    """Who draws, started outside of the world: whatever the bot itself starts is waited for."""
    painter = Painter()
    painter.start()
    try:
        yield painter
    finally:
        await painter.close()


@asynccontextmanager
async def world(desk: Desk, painter: Painter | None = None) -> AsyncIterator[World]:
    """The bot in a simulated Discord; what it failed at is in the log, as ever.

    `painter`: see `drawing`.
    """
    client = PageClient(desk, NOWHERE, Pace(an_hour=100), 0, painter)
    running = simcord.run(client, check_errors=False, settle_timeout=PATIENCE_S)
    async with running as env:
        env.backend.bot_user.name = BOT
        users = [env.create_user(name) for name in (YOU, FRIEND)]
        guild = env.create_guild(SERVER, owner=users[0])  # who may manage it
        topic = desk.locale.say_on_discord("page_topic", bot=BOT, line=desk.examples[0])
        channel = guild.create_text_channel(CHANNEL, topic=topic)
        firsts = first_options(client.tree)
        people = []
        for user in users:
            guild.add_member(user)
            people.append(Typist(env, guild, user, firsts=firsts, bot=BOT))
        yield World(env, channel, *people)


@asynccontextmanager
async def page(there: World, port: int = 0) -> AsyncIterator[simcord.Preview]:
    """The channel on loopback; 0 is any free port. Raises SetupError where it is taken.

    Its address lets whoever has it type as these people, so it is for this machine alone.
    """
    for part in WITH_COMMANDS:  # Discord's client makes `</vram train:1>` a press there
        drawn._FIELD_POLICIES[part]["commands"] = True  # noqa: SLF001  (it has no setting for it)
    viewers = (there.you, there.friend)
    async with there.env.preview(
        there.channel, viewers=viewers, layout="channel", port=port
    ) as shown:
        yield shown


async def bring_to_today(env: simcord.Env) -> None:
    """Its clock begins in the past; times on the page are then those of today."""
    await env.advance_time(max(0.0, (datetime.now(UTC) - env.now()).total_seconds()))
