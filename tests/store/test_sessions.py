"""Sessions that are left: each is taken once, soon, by who is like the one that left it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import select

from bot.store.address import Address
from bot.store.database import Database
from bot.store.sessions import LIFE_S, Left, Whose, leave_sessions, take_sessions
from bot.store.store import Store
from bot.store.tables import sessions
from tests.store.opened import opened
from tests.store.owners import PATIENT_S

WHOSE = Whose(application_id=2**62, shard_count=4, intents=513)
LEFT = [
    Left(shard, f"{shard:032x}", 7 + shard, "wss://one.discord.gg", ((2**61 + shard, "de"),))
    for shard in range(4)
]


@pytest.fixture
async def databases(address: Address) -> AsyncIterator[tuple[Database, Database]]:
    """One database, as two processes have it."""
    first, second = Store(Database(address)), Store(Database(address))
    await opened(first)
    await opened(second)
    yield first.database, second.database
    await first.database.close()
    await second.database.close()


async def left(database: Database, *what: Left) -> None:
    await database.run(partial(leave_sessions, whose=WHOSE, left=what), within_s=PATIENT_S)


async def taken(database: Database, *shards: int, whose: Whose = WHOSE) -> dict[int, Left]:
    take = partial(take_sessions, whose=whose, shard_ids=shards)
    return await database.run(take, within_s=PATIENT_S)


async def rows(database: Database) -> int:
    """How many are there."""
    return len(await database.run(lambda c: c.execute(select(sessions)).all()))


async def test_each_is_taken_once(databases: tuple[Database, Database]) -> None:
    await left(databases[0], *LEFT)
    assert await taken(databases[1], 1, 2) == {1: LEFT[1], 2: LEFT[2]}
    both = await asyncio.gather(*(taken(one, 0, 1, 2, 3) for one in databases))
    assert sorted(shard for found in both for shard in found) == [0, 3]
    assert await rows(databases[0]) == 0


async def test_the_last_that_was_left_counts(databases: tuple[Database, Database]) -> None:
    later = replace(LEFT[0], id="later", seq=99)
    await left(databases[0], LEFT[0], LEFT[1])
    await left(databases[1], later)
    assert await taken(databases[0], 0, 1) == {0: later, 1: LEFT[1]}


@pytest.mark.parametrize("other", [{"application_id": 3}, {"shard_count": 5}, {"intents": 512}])
async def test_who_would_hear_other_events_gets_none(
    databases: tuple[Database, Database], other: dict[str, int]
) -> None:
    await left(databases[0], LEFT[0])
    assert await taken(databases[1], 0, whose=replace(WHOSE, **other)) == {}


@pytest.mark.parametrize("ago_s", [LIFE_S + 1, -2 * LIFE_S])
async def test_what_is_old_or_of_another_clock_is_gone(
    databases: tuple[Database, Database], ago_s: float
) -> None:
    await left(databases[0], LEFT[0])
    older = sessions.update().values(left_at=sessions.c.left_at - ago_s)
    await databases[0].run(lambda c: c.execute(older))
    assert await taken(databases[1], 3, whose=replace(WHOSE, application_id=3)) == {}
    assert await rows(databases[0]) == 0


@pytest.mark.parametrize(
    "said",
    [
        {},
        [1],
        {"shard_id": 0, "id": "x" * 201, "seq": 1, "url": "", "guilds": []},
        {"shard_id": 0, "id": "x", "seq": -1, "url": "", "guilds": []},
        {"shard_id": 0, "id": "x", "seq": 1, "url": "", "guilds": [["a", "de"]]},
    ],
)
async def test_a_damaged_row_is_none(databases: tuple[Database, Database], said: object) -> None:
    await left(databases[0], LEFT[0], LEFT[1])
    damage = sessions.update().where(sessions.c.shard_id == 0).values(session=said)
    await databases[0].run(lambda c: c.execute(damage))
    assert await taken(databases[1], 0, 1) == {1: LEFT[1]}


def test_nothing_of_it_is_shown() -> None:
    shown = repr(LEFT[0])
    assert LEFT[0].id not in shown
    assert "discord.gg" not in shown
    assert str(2**61) not in shown
