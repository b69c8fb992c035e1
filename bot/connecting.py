"""The bot on Discord: running until it is stopped, or syncing its commands once."""

import asyncio
import logging
from functools import partial

import aiohttp
import discord
from pydantic import SecretStr

from bot.ask import open_desk
from bot.client import VramClient, point_at
from bot.config import Settings
from bot.ops.health import Health, serve_health
from bot.ops.logs import set_up_logging
from bot.pace import Backoff, Pace
from bot.supervisor import Exit, Supervisor
from bot.syncing import sync

log = logging.getLogger(__name__)

NOT_REACHED = 1  # Discord could not be asked


def run(settings: Settings, token: SecretStr) -> int:
    """Answer on Discord until stopped; the exit status."""
    with set_up_logging(settings.log, secrets=[token]):
        return asyncio.run(_run(settings, token.get_secret_value()))


async def _run(settings: Settings, token: str) -> int:
    point_at(settings.discord)
    pace = Pace(an_hour=settings.limits.identifies_per_hour)
    supervisor = Supervisor(
        make=partial(VramClient, open_desk(), settings.discord, pace),
        token=token,
        backoff=Backoff(longest_s=settings.limits.longest_wait_s),
        drain_s=settings.limits.drain_s,
    )
    async with serve_health(settings.health, Health(supervisor.is_alive, supervisor.is_ready)):
        return await supervisor.run()


def sync_once(settings: Settings, token: SecretStr) -> int:
    """Make Discord's commands this program's, say what changed, and leave."""
    with set_up_logging(settings.log, secrets=[token]):
        return asyncio.run(_sync_once(settings, token.get_secret_value()))


async def _sync_once(settings: Settings, token: str) -> int:
    point_at(settings.discord)
    only_login = settings.discord.model_copy(update={"sync_on_start": False})
    async with VramClient(open_desk(), only_login) as client:
        try:
            await client.login(token)
            print(f"Commands: {await sync(client.tree)}.")
        except discord.LoginFailure:
            print("Discord does not accept the token.")
            return Exit.CONFIGURATION
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            print(f"Discord could not be asked: {error}")
            return NOT_REACHED
    return Exit.STOPPED
