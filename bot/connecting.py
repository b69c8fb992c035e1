"""The bot on Discord: running until it is stopped, or syncing its commands once."""

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from importlib import import_module
from pathlib import Path

import discord
from discord import app_commands
from pydantic import SecretStr

from bot.ask import Desk, open_desk
from bot.asking import warmed
from bot.client import VramClient, point_at
from bot.config import Settings
from bot.cooldown import Cooldowns
from bot.delivery import is_quiet
from bot.exits import Exit
from bot.handover import Handover
from bot.hub.later import Switched
from bot.ops.health import serve_health
from bot.ops.last_words import hide
from bot.ops.logs import set_up_logging
from bot.ops.redaction import redact
from bot.ops.sharding import shown_ids
from bot.pace import Backoff, Pace
from bot.pauses import answers_first, settle
from bot.pictures.painter import Painter
from bot.planned import prices_of
from bot.queueing import queue_of
from bot.registering import register
from bot.reloading import Live, told_to_reload
from bot.sections import IN_STORE
from bot.starts import DEFAULT_FILE, Starts
from bot.store.chosen import address_of, store_of
from bot.store.store import Store
from bot.store.sweeping import sweep_daily
from bot.supervisor import Supervisor
from bot.syncing import SYNC_S, sync
from bot.tidying import tidy_hourly
from bot.together import run_together
from bot.translator import Translator

log = logging.getLogger(__name__)


def run(settings: Settings, token: SecretStr, read: Callable[[], Settings] | None = None) -> int:
    """Answer on Discord until stopped; the exit status. `read`: reads the settings again."""
    secrets = [token, *([settings.hub_token] if settings.hub_token else [])]
    secrets += address_of(settings).secrets
    hide([secret.get_secret_value() for secret in secrets])
    with set_up_logging(settings.log, secrets=secrets) as running_log:
        live = Live(settings, read)
        live.tell(lambda now: running_log.change(now.log))
        status = asyncio.run(_run(live, token.get_secret_value()))
        if status == Exit.CONFIGURATION:
            log.info("the token is from %s", settings.token_source)
        return status


async def _run(live: Live, token: str) -> int:
    answers_first()
    settings = live.now
    point_at(settings.discord)
    hub = Switched(lambda: live.now)
    store = store_of(settings)
    pace = Pace(
        settings.limits.identifies_per_hour,
        starts=_starts(settings),
        queue=queue_of(settings, store),
    )
    desk = open_desk(hub=hub, prices=lambda: prices_of(live.now), store=store)
    desk.opening = asyncio.get_running_loop().run_in_executor(None, _open, desk)
    warming = asyncio.create_task(_warmed(desk))
    painter, limits = Painter(), settings.limits
    painter.is_on = settings.pictures.enabled
    cooldowns = Cooldowns(limits.person_a_minute, limits.server_a_minute)

    in_store = store is not None and settings.discord.identify_queue == IN_STORE
    handover = Handover(store.database) if store is not None and in_store else None

    def life(kind: Callable[..., VramClient], pace: Pace, *, syncs: bool = True) -> Supervisor:
        def make() -> VramClient:
            now = live.now
            own = now.discord.model_copy(update={} if syncs else {"sync_on_start": False})
            client = kind(
                *(desk, own, pace, now.limits.drain_s, painter),
                cooldowns=cooldowns,
                handover=handover,
            )
            client.settings_now = lambda: live.now
            return client

        return Supervisor(make=make, token=token, backoff=Backoff(limits.longest_wait_s), pace=pace)

    lives, called = _lives(settings, life, pace)
    live.tell(partial(_take, lives, painter, cooldowns))
    sweeping = None if store is None else asyncio.create_task(_swept(store, warming))
    tidying = asyncio.create_task(tidy_hourly(is_quiet))
    # The last one hears the gateway, where any of them does.
    serving = serve_health(
        settings.health, lambda: all(one.is_ready() for one in lives), lives[-1].vitals
    )
    async with serving, called:
        try:
            with told_to_reload(live.reload, partial(_stop, lives)):
                return await run_together(lives)
        finally:
            tidying.cancel()
            await painter.close()
            await warming
            await hub.close()
            await _closed(store, sweeping)


def _lives(
    settings: Settings, life: Callable[..., Supervisor], pace: Pace
) -> tuple[Sequence[Supervisor], AbstractAsyncContextManager[None]]:
    """Who hears Discord: by the gateway, over HTTP, or both; and what opens the port."""
    endpoint = settings.endpoint
    if not endpoint.enabled:
        return [life(VramClient, pace)], nullcontext()
    # Loaded here, so that nobody else depends on what it uses of discord.py's inside.
    from bot.endpoint.client import EndpointClient  # noqa: PLC0415
    from bot.endpoint.opening import endpoint_of  # noqa: PLC0415

    own_pace = Pace(settings.limits.identifies_per_hour)  # it spends none
    over_http = life(partial(EndpointClient, endpoint), own_pace)
    lives = [over_http, life(VramClient, pace, syncs=False)] if endpoint.gateway else [over_http]
    return lives, endpoint_of(endpoint, over_http)


def _starts(settings: Settings) -> Starts | None:
    """Where it is kept when sessions began: as was said, or beside the SQLite file.

    None where the store keeps it.
    """
    discord = settings.discord
    if discord.identify_queue == IN_STORE:
        return None
    beside = address_of(settings).file
    folder = beside.resolve().parent if beside else Path()
    file = settings.limits.identifies_file or folder / DEFAULT_FILE
    own = shown_ids(discord.shard_ids) if discord.shard_ids else "all"
    return Starts(file, name=f"{own} of {discord.shard_count}")


def _take(
    lives: Sequence[Supervisor], painter: Painter, cooldowns: Cooldowns, now: Settings
) -> None:
    """Go on with what may change of the settings."""
    cooldowns.allow(now.limits.person_a_minute, now.limits.server_a_minute)
    for one in lives:
        one.pace.an_hour = now.limits.identifies_per_hour
        one.backoff.longest_s = now.limits.longest_wait_s
        if one.client is not None:
            one.client.drain_s = now.limits.drain_s
    if painter.is_on != now.pictures.enabled:
        painter.switch(on=now.pictures.enabled)


def _stop(lives: Sequence[Supervisor]) -> None:
    for one in lives:
        one.stop()


async def _warmed(desk: Desk) -> None:
    """Make aside what the first answers need; they come, a little slower, also before."""
    if desk.opening is not None:
        await desk.opening
    settle()


def _open(desk: Desk) -> None:
    """In a thread: answer once, and load what is not needed to connect.

    Whoever asks meanwhile is told that an answer will come. Made by who asks, it would be made in
    the event loop, which would answer nobody.
    """
    warmed(desk)
    import_module("bot.pressing.pressing")


async def _swept(store: Store, warming: asyncio.Task[None]) -> None:
    """Remove what is past its time, once the first answers can be given."""
    await asyncio.wait({warming})
    await sweep_daily(store.database, first=settle)  # what a store takes is loaded by then


async def _closed(store: Store | None, sweeping: asyncio.Task[None] | None) -> None:
    """Let go of what is kept, when what is being written is written."""
    if store is None or sweeping is None:
        return
    sweeping.cancel()
    with suppress(asyncio.CancelledError):
        await sweeping
    await store.database.close()


def sync_once(settings: Settings, token: SecretStr) -> int:
    """Make Discord's commands this program's, say what changed, and leave."""
    hide([token.get_secret_value()])
    with set_up_logging(settings.log, secrets=[token]):
        return asyncio.run(_sync_once(settings, token.get_secret_value()))


async def _sync_once(settings: Settings, token: str) -> int:
    point_at(settings.discord)
    async with discord.Client(intents=discord.Intents.none()) as client:
        tree = app_commands.CommandTree(client)
        register(tree, open_desk())
        await tree.set_translator(Translator())
        try:
            async with asyncio.timeout(SYNC_S):
                await client.login(token)
                print(f"Commands: {await sync(tree)}.")
        except discord.LoginFailure:
            print("Discord does not accept the token.", file=sys.stderr)
            return Exit.CONFIGURATION
        except TimeoutError:
            print(f"Discord could not be asked: not done in {SYNC_S} s.", file=sys.stderr)
            return Exit.NOT_REACHED
        except Exception as error:  # noqa: BLE001  (also an answer that is none)
            why = redact(str(error), [token]) or type(error).__name__
            print(f"Discord could not be asked: {why}", file=sys.stderr)
            return Exit.NOT_REACHED
    return Exit.DONE
