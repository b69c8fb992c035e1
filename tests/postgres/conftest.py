"""A server for the tests of this folder, and a store in a database of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest

from bot.store.address import Address, read_address
from bot.store.database import Database
from bot.store.store import Store
from tests.postgres.server import Server, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server; who stops it starts it again."""
    with running() as started:
        yield started


@pytest.fixture
def address(server: Server) -> Address:
    """Of an empty database."""
    return read_address(server.url(server.new_database()), "here")


@pytest.fixture
async def store(address: Address) -> AsyncIterator[Store]:
    """A store there."""
    made = Store(Database(address))
    yield made
    await made.database.close()
