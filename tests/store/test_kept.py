"""What is kept is there again, whoever asks; what is erased is gone, and nothing else."""

import asyncio

import pytest
from sqlalchemy import Connection, insert, update

from bot.store.address import Address
from bot.store.database import Database
from bot.store.faults import StoreDamaged, StoreNewer
from bot.store.store import Store
from bot.store.tables import schema, teams
from tests.store.owners import GUILD, OTHER, SAME_NUMBER, cards


async def test_nothing_is_kept_at_first(store: Store) -> None:
    assert await store.team_of(GUILD) is None
    assert await store.guilds() == frozenset()
    assert await store.forget(GUILD) == 0


async def test_cards_are_kept_replaced_and_removed(store: Store) -> None:
    await store.keep_team(GUILD, cards(2, 1))
    assert await store.team_of(GUILD) == cards(2, 1)
    await store.keep_team(GUILD, cards(8))
    assert await store.team_of(GUILD) == cards(8)
    await store.keep_team(GUILD, None)
    assert await store.team_of(GUILD) is None


async def test_owners_are_told_apart(store: Store) -> None:
    await store.keep_team(GUILD, cards(1))
    await store.keep_team(SAME_NUMBER, cards(2))
    await store.keep_team(OTHER, cards(3))
    assert await store.team_of(SAME_NUMBER) == cards(2, own=True)
    assert await store.guilds() == {GUILD.id, OTHER.id}
    assert await store.forget(GUILD) == 1
    assert await store.team_of(GUILD) is None
    assert await store.team_of(SAME_NUMBER) == cards(2, own=True)
    assert await store.guilds() == {OTHER.id}


async def test_another_process_finds_it(store: Store, address: Address) -> None:
    await store.keep_team(GUILD, cards(2, 1))
    other = Store(Database(address))
    assert await other.team_of(GUILD) == cards(2, 1)
    await other.keep_team(GUILD, cards(4))
    await other.database.close()
    assert await store.team_of(GUILD) == cards(4)


async def test_many_write_at_once(address: Address) -> None:
    stores = [Store(Database(address)) for _ in range(3)]
    await stores[0].guilds()  # else all three would make the tables
    teams_ = [cards(n) for n in range(1, 13)]
    await asyncio.gather(*(stores[n % 3].keep_team(GUILD, team) for n, team in enumerate(teams_)))
    assert await stores[0].team_of(GUILD) in teams_
    for one in stores:
        await one.database.close()


async def test_many_may_begin_at_once(address: Address) -> None:
    stores = [Store(Database(address)) for _ in range(8)]
    await asyncio.gather(*(one.keep_team(GUILD, cards(1)) for one in stores))
    assert await stores[0].team_of(GUILD) == cards(1)
    for one in stores:
        await one.database.close()


async def test_what_fails_half_way_is_taken_back(store: Store) -> None:
    await store.keep_team(GUILD, cards(1))

    def half(connection: Connection) -> None:
        connection.execute(teams.delete())
        raise LookupError

    with pytest.raises(LookupError):
        await store.database.run(half)
    assert await store.team_of(GUILD) == cards(1)


async def test_a_newer_one_is_left_alone(store: Store, address: Address) -> None:
    await store.keep_team(GUILD, cards(1))
    await store.database.run(lambda c: c.execute(update(schema).values(version=999)).close())
    other = Store(Database(address))
    with pytest.raises(StoreNewer):
        await other.keep_team(GUILD, cards(2))
    with pytest.raises(StoreNewer):
        await other.team_of(GUILD)
    await other.database.close()
    assert await store.team_of(GUILD) == cards(1)


@pytest.mark.parametrize("value", [7, "cards", [["a"]], [["a", "b"]], {"a": 1}])
async def test_what_another_hand_wrote_is_damaged(store: Store, value: object) -> None:
    row = {"owner_kind": GUILD.kind.value, "owner_id": GUILD.id, "cards": value}
    await store.database.run(lambda c: c.execute(insert(teams).values(row)).close())
    with pytest.raises(StoreDamaged):
        await store.team_of(GUILD)
    await store.keep_team(GUILD, cards(1))
    assert await store.team_of(GUILD) == cards(1)
