"""Measured peaks that are kept: whose they are, how many, how long, and a database that is full."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.measuring.record import Record, standing_of
from bot.store.address import in_file
from bot.store.database import Database
from bot.store.faults import StoreFull
from bot.store.measurements import MEASUREMENTS_DAYS, MOST_RECORDS
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from bot.store.sweeping import DAY_S, sweep
from estimator import Statistic, Task

GUILD = Owner(OwnerKind.GUILD, 2**62)
PERSON = Owner(OwnerKind.USER, GUILD.id)  # another owner, for all its number
ALICE, BOB = 1, 2
NOW = 1_800_000_000
RECORD = Record(
    line="train 7B lora adamw",
    task=Task.TRAIN,
    statistic=Statistic.ALLOCATED,
    measured_bytes=2**34,
    estimated_bytes=2**34 - 2**30,
    low_bytes=2**33,
    high_bytes=2**35,
    version="0.1.0",
    kept_at=NOW,
)


def numbered(number: int) -> Record:
    return replace(RECORD, measured_bytes=number)


async def test_a_record_comes_back_as_it_was(store: Store) -> None:
    assert await store.keep_measurement(GUILD, ALICE, RECORD) == (RECORD,)
    assert await store.measurements_of(GUILD) == (RECORD,)


async def test_the_newest_comes_first_and_owners_see_their_own(store: Store) -> None:
    for number in (1, 2, 3):
        await store.keep_measurement(GUILD, ALICE, numbered(number))
    assert await store.keep_measurement(PERSON, ALICE, RECORD) == (RECORD,)
    assert [one.measured_bytes for one in await store.measurements_of(GUILD)] == [3, 2, 1]


async def test_one_takes_back_ones_own_last(store: Store) -> None:
    for number, who in ((1, ALICE), (2, BOB), (3, ALICE)):
        await store.keep_measurement(GUILD, who, numbered(number))
    assert await store.forget_last(GUILD, BOB) == numbered(2)
    assert await store.forget_last(GUILD, BOB) is None
    assert await store.forget_last(PERSON, ALICE) is None
    assert await store.forget_last(GUILD, ALICE) == numbered(3)
    assert await store.measurements_of(GUILD) == (numbered(1),)


async def test_all_of_an_owner_is_erased_at_once(store: Store) -> None:
    for owner in (GUILD, PERSON):
        for number in (1, 2):
            await store.keep_measurement(owner, ALICE, numbered(number))
    assert await store.forget(GUILD) == 2
    assert await store.measurements_of(GUILD) == ()
    assert len(await store.measurements_of(PERSON)) == 2


async def test_the_oldest_give_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_RECORDS == 500
    monkeypatch.setattr("bot.store.measurements.MOST_RECORDS", 3)
    await store.keep_measurement(PERSON, ALICE, RECORD)
    for number in (1, 2, 3, 4):
        await store.keep_measurement(GUILD, ALICE, numbered(number))
    kept = await store.keep_measurement(GUILD, ALICE, numbered(5))
    assert [one.measured_bytes for one in kept] == [5, 4, 3]
    assert await store.measurements_of(GUILD) == kept
    assert await store.forget(GUILD) == 3
    assert await store.measurements_of(PERSON) == (RECORD,)


async def test_nobody_pushes_out_what_others_measured(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who records most gives way, whoever has recorded last."""
    monkeypatch.setattr("bot.store.measurements.MOST_RECORDS", 6)
    for number in (1, 2):
        await store.keep_measurement(GUILD, ALICE, numbered(number))
    for number in range(10, 30):
        await store.keep_measurement(GUILD, BOB, numbered(number))
    kept = await store.keep_measurement(GUILD, ALICE, numbered(3))
    assert [one.measured_bytes for one in kept] == [3, 29, 28, 27, 2, 1]
    assert await store.measurements_of(GUILD) == kept


async def test_they_are_kept_for_so_many_days(store: Store) -> None:
    old = replace(RECORD, kept_at=NOW - MEASUREMENTS_DAYS * DAY_S - 1)
    await store.keep_measurement(GUILD, ALICE, old)
    await store.keep_measurement(GUILD, ALICE, RECORD)
    assert await store.database.run(lambda connection: sweep(connection, NOW)) == 1
    assert await store.measurements_of(GUILD) == (RECORD,)


async def test_a_full_database_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    store = Store(Database(in_file(tmp_path / "kept.sqlite3")))
    await store.keep_measurement(GUILD, ALICE, RECORD)
    full = "PRAGMA max_page_count = 1"  # never below what there is
    await store.database.run(lambda connection: connection.exec_driver_sql(full).close())
    long = replace(RECORD, line="x" * 200_000)
    with pytest.raises(StoreFull):
        await store.keep_measurement(GUILD, ALICE, long)
    assert await store.measurements_of(GUILD) == (RECORD,)
    await store.database.close()


def test_how_far_off_many_are() -> None:
    assert standing_of([]) is None
    served = replace(RECORD, task=Task.INFER, estimated_bytes=100, low_bytes=90, high_bytes=110)
    records = [replace(served, measured_bytes=n) for n in (100, 103, 95, 150)]
    standing = standing_of(records)
    assert standing is not None
    assert (standing.count, standing.inside) == (4, 3)
    assert standing.off == pytest.approx(0.04)
    assert standing.by_task == {Task.INFER: pytest.approx(0.04)}
