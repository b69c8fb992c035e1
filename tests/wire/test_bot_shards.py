"""A process with a part of the shards: what it hears, says of itself, and leaves alone."""

import asyncio
from pathlib import Path

import pytest

from bot.ask import open_desk
from bot.ops.sharding import shard_of
from bot.store.chosen import store_in
from bot.store.owner import Owner, OwnerKind
from tests.store.opened import opened
from tests.store.owners import PATIENT_S, cards
from tests.wire.our_bot import COMMANDS, answers, ready
from tests.wire.standin import StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

COUNT = 4


async def test_it_connects_its_own_and_is_ready_with_them(standin: StandIn) -> None:
    guilds = [standin.guild_of_shard(shard, COUNT) for shard in range(COUNT)]
    async with ready(standin, shard_count=COUNT, shard_ids=(1, 3)) as running:
        await standin.ready(sessions=2)
        await running.client.wait_until_ready()
        assert running.supervisor.is_ready()
        known = {one.id for one in running.client.guilds}
        assert {int(guilds[1]), int(guilds[3])} <= known
        assert {shard_of(one, COUNT) for one in known} == {1, 3}
        for shard in (1, 3):
            assert await answers(standin, check=False, guild_id=guilds[shard])
        assert not await standin.dispatch("INTERACTION_CREATE", {"guild_id": guilds[0]})
    assert [one.shard for one in standin.identifies] == [(1, COUNT), (3, COUNT)]


async def test_only_who_has_shard_0_syncs(standin: StandIn) -> None:
    async with ready(standin, shard_count=COUNT, shard_ids=(1, 2, 3)):
        assert standin.requests_to(COMMANDS) == []
    async with ready(standin, shard_count=COUNT, shard_ids=(0,)):
        await standin.until(lambda: len(standin.requests_to(COMMANDS, "PUT")) == 1, PATIENT_S)


@pytest.mark.parametrize("where", [Where.BOT_DM, Where.GROUP_DM, Where.FOREIGN_GUILD])
async def test_who_has_shard_0_hears_what_is_of_no_server_of_its_own(
    standin: StandIn, where: Where
) -> None:
    guild_id = standin.guild_of_shard(0, COUNT) if where is Where.FOREIGN_GUILD else None
    async with ready(standin, shard_count=COUNT, shard_ids=(0,)):
        assert await answers(standin, where=where, guild_id=guild_id)


async def test_what_is_kept_of_other_processes_servers_stays(
    standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.leaving.EVERY_S", 0.01)
    store = await opened(store_in(tmp_path))
    owners = [
        Owner(OwnerKind.GUILD, int(standin.guild_of_shard(shard, COUNT))) for shard in range(COUNT)
    ]
    left = Owner(OwnerKind.GUILD, owners[2].id + COUNT * (1 << 22))  # of shard 2, and left
    for owner in (*owners, left):
        await store.keep_team(owner, cards(1))
    settings = {"shard_count": COUNT, "shard_ids": (2,)}
    async with ready(standin, desk=open_desk(store=store), **settings):
        async with asyncio.timeout(PATIENT_S):
            while left.id in await store.guilds():
                pass
        assert await store.guilds() == {owner.id for owner in owners}
    await store.database.close()
