"""What is past its time is removed; what is kept for good is not."""

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import BigInteger, Column, Table, insert, select

from bot.store.store import Store
from bot.store.sweeping import DAY_S, sweep, sweep_daily
from bot.store.tables import metadata
from tests.store.owners import GUILD, PATIENT_S, cards

NOW = 1_800_000_000.0


@pytest.fixture
def fleeting() -> Iterator[Table]:
    """A table whose rows are kept for ten days."""
    table = Table(
        "fleeting",
        metadata,
        Column("kept_at", BigInteger, primary_key=True),
        info={"keep_days": 10},
    )
    yield table
    metadata.remove(table)


async def test_rows_go_on_their_day(fleeting: Table, store: Store) -> None:
    ages = [0, 9 * DAY_S, 10 * DAY_S, 10 * DAY_S + 1, 400 * DAY_S]
    rows = [{"kept_at": int(NOW) - age} for age in ages]
    await store.keep_team(GUILD, cards(1))
    await store.database.run(lambda c: c.execute(insert(fleeting), rows).close())
    assert await store.database.run(lambda c: sweep(c, NOW)) == 2
    left = await store.database.run(lambda c: c.execute(select(fleeting.c.kept_at)).scalars().all())
    assert sorted(int(NOW) - one for one in left) == ages[:3]
    assert await store.team_of(GUILD) == cards(1)


async def test_it_goes_on_for_ever(
    fleeting: Table, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    await store.database.run(lambda c: c.execute(insert(fleeting), [{"kept_at": 1}]).close())
    sweeping = asyncio.create_task(sweep_daily(store.database, every_s=0.01))
    async with asyncio.timeout(PATIENT_S):
        while caplog.text.count("removed what was past its time") < 3:  # noqa: ASYNC110  (a log)
            await asyncio.sleep(0.01)
    sweeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sweeping
    assert "1 rows" in caplog.text
    assert "0 rows" in caplog.text
