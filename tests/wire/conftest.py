"""Fixtures: a stand-in that must end without a broken rule, and clients to connect to it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from discord.gateway import KeepAliveHandler

from bot.delivery import FIRST
from tests.wire.bare_client import BareClient, bare_client
from tests.wire.recording import record, wanted
from tests.wire.standin import StandIn
from tests.wire.tiny_bot import TinyBot, running


@pytest.fixture(autouse=True)
def no_heart_beats_on() -> Iterator[None]:
    """Each client told the threads of its heartbeats to end."""
    yield
    hearts = [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler)]
    beating = [one.name for one in hearts if not vars(one)["_stop_ev"].is_set()]
    for one in hearts:
        one.stop()  # the next test's begin anew
    assert beating == []


@pytest.fixture
async def standin() -> AsyncIterator[StandIn]:
    """A Discord of its own for each test."""
    async with StandIn() as discord:
        yield discord
    expected = discord.world.violations.expected
    folder = wanted()
    if folder is not None:
        record(discord.requests, folder, frames=discord.world.frames, on_purpose=expected)
    assert expected or discord.violations == []


@pytest.fixture
async def bare(standin: StandIn) -> AsyncIterator[BareClient]:
    """A client that does what it is told, right or wrong."""
    async with bare_client(standin) as client:
        yield client


@pytest.fixture
async def tiny(standin: StandIn) -> AsyncIterator[TinyBot]:
    """A small bot, connected and ready."""
    bot = TinyBot(shard_count=1)
    async with running(standin, bot):
        await standin.ready()
        yield bot


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own waits between two tries take no time."""

    async def at_once(_seconds: float) -> None:
        await asyncio.sleep(0)

    hurried = SimpleNamespace(**{**vars(asyncio), "sleep": at_once})
    monkeypatch.setattr("discord.shard.asyncio", hurried)
    monkeypatch.setattr("discord.http.asyncio", hurried)
    monkeypatch.setattr("discord.webhook.async_.asyncio", hurried)
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _self: 0.0)


@pytest.fixture
def soon_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket without a word is left soon, and not after a minute."""
    monkeypatch.setattr("bot.connected.SILENT_S", 0.5)


@pytest.fixture
def lenient(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord takes an answer for a minute, and the bot tries for as long, as often as ever."""
    standin.settings.answer_within_s = 60
    monkeypatch.setattr("bot.tree.TURN_S", 60)
    monkeypatch.setattr("bot.pressing.pressing.TURN_S", 60)
    monkeypatch.setattr("bot.delivery.FIRST", replace(FIRST, within=60, heard=60))


@pytest.fixture
def patient(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord and the bot wait for a minute: the order is tested, and not this machine."""
    standin.settings.answer_within_s = 60
    monkeypatch.setattr("bot.tree.TURN_S", 60)
    monkeypatch.setattr(
        "bot.delivery.FIRST", replace(FIRST, within=60, heard=60, beside=60, each=60)
    )


@pytest.fixture
def unhurried(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is any answer announced: it comes, however slow this machine is."""
    del patient
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 60)
    monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 60)
    monkeypatch.setattr("bot.commands.team.ANNOUNCED_S", 60)
    monkeypatch.setattr("bot.store.store.SOON_S", 60)
    monkeypatch.setattr("bot.pressing.pressing.TURN_S", 60)


@pytest.fixture
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer waits for its picture."""
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 0)


@pytest.fixture
def in_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers wait for their pictures, however slow this machine is."""
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 60)
