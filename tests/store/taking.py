"""A program that takes a turn to begin a session and says so; it is killed before it ends."""

import asyncio
import sys

from bot.store.address import read_address
from bot.store.database import Database
from bot.store.store import Store
from tests.store.opened import PATIENCE_S, opened
from tests.store.test_identifies import taken


async def take(url: str) -> None:
    """Take it, and stay."""
    store = await opened(Store(Database(read_address(url, "here"))))
    await taken(store.database)
    print("taken", flush=True)
    await asyncio.sleep(PATIENCE_S)


if __name__ == "__main__":
    asyncio.run(take(sys.argv[1]))
