"""An address on each kind of database; PostgreSQL's only where it is asked for: `-m postgres`."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.store.address import Address, read_address
from bot.store.database import Database
from bot.store.store import Store
from tests.postgres.server import Server, running
from tests.store.opened import opened


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One PostgreSQL server for all tests that want it."""
    with running() as started:
        yield started


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """Where nothing is kept yet."""
    if request.param == "sqlite":
        return read_address(f"sqlite:///{tmp_path}/kept.sqlite3", "here")
    own: Server = request.getfixturevalue("server")
    return read_address(own.url(own.new_database()), "here")


@pytest.fixture
async def store(address: Address) -> AsyncIterator[Store]:
    """A store there."""
    made = await opened(Store(Database(address)))
    yield made
    await made.database.close()
