"""Turns to begin sessions, shared by processes: never too near, never too many, never stuck."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from functools import partial
from itertools import pairwise
from time import time

import pytest
from sqlalchemy import select

from bot.pace import Rules
from bot.store.address import Address
from bot.store.database import Database
from bot.store.identifies import HOUR, Asked, take_turn
from bot.store.store import Store
from bot.store.tables import identifies
from tests.repo.product import ROOT
from tests.store.opened import opened
from tests.store.owners import PATIENT_S

RULES = Rules(gap_s=5, share_s=90, burst=10)
HERE = 7  # an application
DAYS_S = 1e6


@pytest.fixture
async def databases(address: Address) -> AsyncIterator[tuple[Database, Database]]:
    """One database, as two processes have it."""
    first, second = Store(Database(address)), Store(Database(address))
    await opened(first)
    await opened(second)
    yield first.database, second.database
    await first.database.close()
    await second.database.close()


async def taken(
    database: Database,
    bucket: int = 0,
    *,
    application_id: int = HERE,
    rules: Rules = RULES,
    patience_s: float = PATIENT_S,
) -> float:
    """Seconds until the turn."""
    asked = Asked(application_id, bucket, patience_s)
    take = partial(take_turn, asked=asked, rules=rules)
    return await database.run(take, within_s=PATIENT_S)


async def moment(database: Database, bucket: int = 0) -> float:
    """When the last turn of a bucket is."""
    question = select(identifies.c.moment).where(identifies.c.bucket == bucket)
    return float(await database.run(lambda c: c.execute(question).scalar_one()))


async def test_turns_of_one_bucket_are_apart_whoever_takes_them(
    databases: tuple[Database, Database],
) -> None:
    assert await taken(databases[0]) == 0
    moments = [await moment(databases[0])]
    for turn in range(1, 6):
        assert await taken(databases[turn % 2]) > 0
        moments.append(await moment(databases[0]))
    assert all(after - before >= RULES.gap_s - 1e-3 for before, after in pairwise(moments))


async def test_those_who_come_at_once_get_one_each(databases: tuple[Database, Database]) -> None:
    began = time()
    await asyncio.gather(*(taken(databases[turn % 2]) for turn in range(8)))
    assert await moment(databases[0]) >= began + 7 * RULES.gap_s - 1e-3


async def test_other_buckets_and_other_applications_do_not_wait(
    databases: tuple[Database, Database],
) -> None:
    assert [await taken(databases[0], bucket) for bucket in range(4)] == [0] * 4
    assert await taken(databases[1], application_id=HERE + 1) == 0
    assert await taken(databases[1], 3) > 0


async def test_the_hour_is_counted_over_all(databases: tuple[Database, Database]) -> None:
    rules = Rules(gap_s=0, share_s=90, burst=4)
    for turn in range(4):
        assert await taken(databases[turn % 2], turn, rules=rules) == 0
    wait_s = await taken(databases[0], 4, rules=rules)
    assert PATIENT_S < wait_s <= rules.share_s


async def test_a_turn_that_is_too_far_is_not_taken(databases: tuple[Database, Database]) -> None:
    await taken(databases[0])
    before = await moment(databases[0])
    assert await taken(databases[1], patience_s=1) > 1
    assert await moment(databases[0]) == before


@pytest.mark.parametrize("bucket", [0, HOUR])
async def test_a_clock_that_was_set_back_holds_nobody_up(
    databases: tuple[Database, Database], bucket: int
) -> None:
    await taken(databases[0])
    later = identifies.update().where(identifies.c.bucket == bucket)
    later = later.values(moment=identifies.c.moment + DAYS_S)
    await databases[0].run(lambda c: c.execute(later).close())
    wait_s = await taken(databases[1])
    assert wait_s <= max(PATIENT_S + RULES.gap_s, RULES.share_s)
    assert await taken(databases[1], 1, patience_s=RULES.share_s) <= RULES.share_s


def killed_in_its_turn(url: str) -> None:
    """A program takes a turn, and is killed before it ends."""
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.store.taking", url], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    with program, program.stdout as told:
        assert told.readline() == b"taken\n"
        program.kill()


async def test_who_is_killed_in_its_turn_costs_one_gap(address: Address) -> None:
    url = address.url.get_secret_value().replace("+psycopg", "")
    await asyncio.to_thread(killed_in_its_turn, url)
    database = (await opened(Store(Database(address)))).database
    assert await taken(database) <= RULES.gap_s
    await database.close()
