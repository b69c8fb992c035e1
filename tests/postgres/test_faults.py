"""What a real server does when it fails, and that nothing is lost by it."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from bot.store.address import Address, read_address
from bot.store.database import Database
from bot.store.faults import StoreFull, StoreGone, StoreLocked, StoreSlow
from bot.store.store import Store
from tests.postgres.server import Server
from tests.store.owners import GUILD, OTHER, PATIENT_S, cards

pytestmark = pytest.mark.postgres

SECRET = "hunter2%23"
NO_ROOM = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON vram_teams
FOR EACH ROW EXECUTE FUNCTION no_room();
"""


def connected(address: Address) -> psycopg.Connection:
    """Another program, at the same database."""
    url = address.url.get_secret_value().replace("+psycopg", "")
    return psycopg.connect(url, autocommit=True)


@contextmanager
def held(address: Address) -> Iterator[None]:
    """Another program holds the table."""
    with closing(connected(address)) as other, other.transaction():
        other.execute("LOCK TABLE vram_teams IN ACCESS EXCLUSIVE MODE")
        yield


async def test_while_it_is_locked(store: Store, address: Address) -> None:
    await store.keep_team(GUILD, cards(1))
    with held(address), pytest.raises(StoreLocked):
        await store.database.run(
            lambda c: c.exec_driver_sql("DELETE FROM vram_teams").close(), within_s=PATIENT_S
        )
    assert await store.team_of(GUILD) == cards(1)


async def test_while_there_is_no_room(store: Store, address: Address) -> None:
    """The server's own code for it, raised where it would raise it."""
    await store.keep_team(GUILD, cards(1))
    with closing(connected(address)) as other:
        other.execute(NO_ROOM)
    with pytest.raises(StoreFull):
        await store.keep_team(GUILD, cards(2))
    assert await store.team_of(GUILD) == cards(1)


async def test_while_a_statement_takes_too_long(store: Store) -> None:
    with pytest.raises(StoreSlow):
        await store.database.run(
            lambda c: c.exec_driver_sql("SELECT pg_sleep(60)").close(), within_s=PATIENT_S
        )
    assert await store.team_of(GUILD) is None


async def test_a_server_that_ends_and_comes_back(store: Store, server: Server) -> None:
    """Ended as a power cut would, so what was told as kept was on its disk."""
    await store.keep_team(GUILD, cards(1))
    server.stop()
    try:
        with pytest.raises(StoreGone):
            await store.keep_team(GUILD, cards(2))
        with pytest.raises(StoreGone):
            await store.team_of(GUILD)
    finally:
        server.start()
    assert await store.team_of(GUILD) == cards(1)
    await store.keep_team(OTHER, cards(3))
    assert await store.guilds() == {GUILD.id, OTHER.id}


async def test_a_server_that_takes_no_changes(store: Store, address: Address) -> None:
    await store.keep_team(GUILD, cards(1))
    with closing(connected(address)) as other:
        name = other.info.dbname
        other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    reader = Store(Database(address))
    with pytest.raises(StoreGone):
        await reader.keep_team(GUILD, cards(2))
    await reader.database.close()
    assert await store.team_of(GUILD) == cards(1)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://vram:{secret}@/absent?host={folder}",
        "postgresql://stranger:{secret}@/postgres?host={folder}",
        "postgresql://vram:{secret}@/postgres?host={folder}/nowhere",
        "postgresql://vram:{secret}@127.0.0.1:9/postgres",
    ],
)
async def test_what_cannot_be_reached_keeps_its_password(
    server: Server, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    address = read_address(url.format(secret=SECRET, folder=server.folder), "here")
    store = Store(Database(address))
    with pytest.raises(StoreGone) as caught:
        await store.database.run(lambda _: None, within_s=PATIENT_S)
    await store.database.close()
    assert caught.value.__suppress_context__
    said = f"{caught.value!r} {address!r} {store!r} {caplog.text}"
    assert "hunter2" not in said
