"""What a server left behind is erased: as it is left, or when it was missed twice."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import leaving
from bot.leaving import Leaving
from bot.store.address import in_file
from bot.store.database import Database
from bot.store.store import Store
from tests.store.owners import GUILD, OTHER, SAME_NUMBER, cards


def everywhere(_guild_id: int) -> bool:
    """One process has every shard."""
    return True


async def test_a_server_that_is_left(store: Store) -> None:
    for owner in (GUILD, OTHER, SAME_NUMBER):
        await store.keep_team(owner, cards(1))
    await Leaving(store, everywhere).left(GUILD.id)
    assert await store.guilds() == {OTHER.id}
    assert await store.team_of(SAME_NUMBER) == cards(1, own=True)


async def test_a_server_is_missed_twice_first(store: Store) -> None:
    for owner in (GUILD, OTHER, SAME_NUMBER):
        await store.keep_team(owner, cards(1))
    looking = Leaving(store, everywhere)
    await looking.look({OTHER.id})
    assert await store.guilds() == {GUILD.id, OTHER.id}
    await looking.look({GUILD.id, OTHER.id})  # it was an outage
    await looking.look({OTHER.id})
    assert await store.guilds() == {GUILD.id, OTHER.id}
    await looking.look({OTHER.id})
    assert await store.guilds() == {OTHER.id}
    assert await store.team_of(SAME_NUMBER) == cards(1, own=True)


async def test_what_is_of_another_processs_shards_is_never_missed(store: Store) -> None:
    for owner in (GUILD, OTHER):
        await store.keep_team(owner, cards(1))
    looking = Leaving(store, lambda guild_id: guild_id == OTHER.id)
    for _ in range(3):
        await looking.look(set())
    assert await store.guilds() == {GUILD.id}


async def test_nothing_is_erased_while_servers_are_not_known(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.keep_team(GUILD, cards(1))
    monkeypatch.setattr(leaving, "EVERY_S", 0.01)
    said: Iterator[set[int] | None] = iter([None, None, set(), None])
    asked = asyncio.Event()

    def there() -> set[int] | None:
        found = next(said, None)
        if found is not None:
            asked.set()
        return found

    looking = asyncio.create_task(Leaving(store, everywhere).look_hourly(there))
    await asked.wait()
    await asyncio.sleep(0.05)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    assert await store.guilds() == {GUILD.id}


async def test_a_store_that_fails_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store(Database(in_file(tmp_path / "nowhere" / "kept.sqlite3")))
    looking = Leaving(store, everywhere)
    await looking.left(GUILD.id)
    await looking.look(set())
    await store.database.close()
    assert "stays for now: gone" in caplog.text
    assert "are not known: gone" in caplog.text
