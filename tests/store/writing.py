"""A program that keeps one team after another, and says so; until it is killed."""

import asyncio
import sys
from itertools import count

from bot.store.address import read_address
from bot.store.database import Database
from bot.store.store import Store
from tests.store.owners import GUILD, PATIENT_S, cards


async def write(url: str, first: int) -> None:
    """Never ends. A number is told when its team is kept."""
    store = Store(Database(read_address(url, "here")))
    await store.team_of(GUILD, within_s=PATIENT_S)
    print("ready", flush=True)
    for number in count(first):
        await store.keep_team(GUILD, cards(*[number] * 8))
        print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], int(sys.argv[2])))
