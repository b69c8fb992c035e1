"""Who waits waits for so long; what was told as not done is not done later."""

import asyncio
from functools import partial
from threading import Event

import pytest
from sqlalchemy import Connection

from bot.store import database
from bot.store.faults import StoreSlow, StoreUnsure
from bot.store.store import Store
from bot.store.teams import keep_team
from tests.store.owners import GUILD, PATIENT_S, cards


async def test_what_takes_too_long_is_taken_back(store: Store) -> None:
    await store.keep_team(GUILD, cards(1))
    begun, end = Event(), Event()

    def slowly(connection: Connection) -> None:
        keep_team(connection, GUILD, cards(2))
        begun.set()
        end.wait(PATIENT_S)

    asking = asyncio.ensure_future(store.database.run(slowly, within_s=0.05))
    with pytest.raises(StoreSlow):
        await asking
    end.set()
    assert await store.team_of(GUILD, within_s=PATIENT_S) == cards(1)
    assert begun.is_set()


async def test_what_never_had_its_turn_is_not_begun(store: Store) -> None:
    await store.guilds()
    end, done = Event(), []
    busy = [
        asyncio.ensure_future(store.database.run(lambda _: end.wait(PATIENT_S), within_s=PATIENT_S))
        for _ in range(4)
    ]
    await asyncio.sleep(0)
    with pytest.raises(StoreSlow):
        await store.database.run(lambda _: done.append(1), within_s=0.05)
    end.set()
    await asyncio.gather(*busy)
    await store.guilds()
    assert done == []


async def test_who_leaves_gives_it_up(store: Store) -> None:
    await store.keep_team(GUILD, cards(1))
    end = Event()

    def slowly(connection: Connection) -> None:
        keep_team(connection, GUILD, cards(2))
        end.wait(PATIENT_S)

    asking = asyncio.ensure_future(store.database.run(slowly, within_s=PATIENT_S))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    end.set()
    assert await store.team_of(GUILD, within_s=PATIENT_S) == cards(1)


async def test_what_is_being_written_down_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And where that takes too long, nobody is told that it was or was not done."""
    await store.guilds()
    writing, end = Event(), Event()
    go_on = database.Job.go_on

    def held(job: database.Job[object], *, to_write: bool = False) -> None:
        go_on(job, to_write=to_write)
        if to_write:
            writing.set()
            end.wait(PATIENT_S)

    monkeypatch.setattr(database.Job, "go_on", held)
    monkeypatch.setattr(database, "WRITING_S", 0.05)
    keep = partial(keep_team, owner=GUILD, team=cards(2))
    asking = asyncio.ensure_future(store.database.run(keep, within_s=0.3))
    with pytest.raises(StoreUnsure):
        await asking
    assert writing.is_set()
    end.set()
    monkeypatch.undo()
    assert await store.team_of(GUILD, within_s=PATIENT_S) == cards(2)


async def test_too_many_are_told_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "MOST_WAITING", 0)
    with pytest.raises(StoreSlow):
        await store.guilds()
    monkeypatch.undo()
    assert await store.guilds() == frozenset()
