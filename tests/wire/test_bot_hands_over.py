"""A process that is stopped leaves its sessions, and the next one goes on with them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bot.ask import open_desk
from bot.handover import Handover
from bot.store.chosen import store_in
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from tests.store.opened import opened
from tests.store.owners import PATIENT_S, cards
from tests.wire.our_bot import QUERY, Running, answers, started
from tests.wire.standin import INTERACTION, StandIn

COUNT = 2


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """What all processes share."""
    shared = await opened(store_in(tmp_path))
    yield shared
    await shared.database.close()


async def came(standin: StandIn, running: Running, sessions: int = COUNT) -> None:
    """All of it is connected, and it knows."""
    await standin.ready(sessions=sessions, timeout=PATIENT_S)
    async with asyncio.timeout(PATIENT_S):
        while not running.supervisor.is_ready():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_the_next_process_goes_on_with_them(
    standin: StandIn, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """No IDENTIFY; what was asked meanwhile is answered; it knows the servers, and who left."""
    guilds = [standin.guild_of_shard(shard, COUNT) for shard in range(COUNT)]
    how = {"shard_count": COUNT, "handover": Handover(store.database)}
    async with started(standin, **how) as first:
        await came(standin, first)
        await standin.dispatch("GUILD_UPDATE", {"id": guilds[0], "preferred_locale": "de"})
        assert await answers(standin, check=False, guild_id=guilds[0])
    assert {one.closed_by_client for one in standin.connections} == {4000}
    asked = [
        standin.people(guild_id=guild, check=False).slash("vram train", QUERY) for guild in guilds
    ]
    for one in asked:
        await standin.dispatch(INTERACTION, one.interaction)
    for one in asked:
        one.born += PATIENT_S  # the machine may be slow
    left = Owner(OwnerKind.GUILD, int(guilds[1]))
    await store.keep_team(left, cards(1))
    await standin.dispatch("GUILD_DELETE", {"id": guilds[1], "guild_id": guilds[1]})
    desk = open_desk(store=store)
    async with started(standin, desk=desk, **how) as second:
        await came(standin, second)
        for one in asked:
            await standin.until(lambda one=one: one.status == 200, PATIENT_S)  # type: ignore[misc]
        assert await answers(standin, check=False, guild_id=guilds[0])
        known = {one.id: one.preferred_locale for one in second.client.guilds}
        assert known[int(guilds[0])] is discord.Locale.german
        assert set(known) == {int(standin.guild_id), int(guilds[0])}
        async with asyncio.timeout(PATIENT_S):
            while left.id in await store.guilds():
                pass
    assert len(standin.identifies) == COUNT
    assert [one.resumed for one in standin.resumes] == [True] * COUNT
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_one_that_discord_forgot_begins_anew(standin: StandIn, store: Store) -> None:
    """And knows the servers that it is still in, and no others."""
    gone = standin.guild_of_shard(0, COUNT)
    how = {"shard_count": COUNT, "handover": Handover(store.database)}
    async with started(standin, **how) as first:
        await came(standin, first)
        assert await answers(standin)
    standin.world.guilds.remove(gone)
    standin.faults.lose_session.arm(COUNT)
    async with started(standin, **how) as second:
        await standin.until(lambda: len(standin.identifies) == 2 * COUNT, PATIENT_S)
        await came(standin, second)
        assert await answers(standin)
        assert [one.id for one in second.client.guilds] == [int(standin.guild_id)]


async def test_two_at_a_time_keep_their_own(standin: StandIn, store: Store) -> None:
    """With overlap: the new process begins, whatever the old one leaves when it is stopped."""
    how = {"shard_count": COUNT, "handover": Handover(store.database)}
    async with started(standin, **how) as old:
        await came(standin, old)
        async with started(standin, **how) as new:
            await came(standin, new, 2 * COUNT)
            old.supervisor.stop()
            await old.ended()
            assert await answers(standin)
            assert len(standin.connections) == 2 * COUNT
            assert new.supervisor.is_ready()
    assert len(standin.identifies) == 2 * COUNT
    assert standin.resumes == []


async def test_a_stop_hears_no_more_and_finishes_what_it_heard(standin: StandIn) -> None:
    """Also where nothing can be left: the session is over, and the answer still comes."""
    async with started(standin) as running:
        await came(standin, running, 1)
        assert await answers(standin)
        standin.faults.delay(1, route="/interactions/{id}/{token}/callback")
        asked = standin.people().slash("vram train", QUERY)
        await standin.dispatch(INTERACTION, asked.interaction)
        await standin.until(lambda: len(standin.requests) > 0 and bool(_calls(standin, asked.id)))
        running.supervisor.stop()
        await standin.until(lambda: standin.connections[-1].ended, PATIENT_S)
        assert asked.status is None
        await running.ended()
    assert asked.status == 200
    assert standin.connections[-1].closed_by_client == 1000


def _calls(standin: StandIn, exchange_id: str) -> list[str]:
    return [one.path for one in standin.requests if exchange_id in one.path]
