"""What is past its time, removed: at a start, and once a day."""

import asyncio
import logging
from collections.abc import Callable
from time import time
from typing import TYPE_CHECKING

from bot.store.database import Database
from bot.store.faults import StoreFault

if TYPE_CHECKING:
    from sqlalchemy import Connection

log = logging.getLogger(__name__)

DAY_S = 86_400
WITHIN_S = 60.0  # nobody waits for it


def sweep(connection: "Connection", now: float) -> int:
    """Remove the rows that are older than their table keeps them; how many there were."""
    from bot.store.tables import metadata  # noqa: PLC0415  (loads SQLAlchemy)

    return sum(
        connection.execute(table.delete().where(table.c.kept_at < int(now) - days * DAY_S)).rowcount
        for table in metadata.tables.values()
        if (days := table.info.get("keep_days"))
    )


async def sweep_daily(
    database: Database, every_s: float = DAY_S, first: Callable[[], None] | None = None
) -> None:
    """Never ends; a sweep that fails is left to the next one. `first` is done after the first."""
    while True:
        try:
            removed = await database.run(lambda c: sweep(c, time()), within_s=WITHIN_S)
        except StoreFault as fault:
            log.warning("what is past its time could not be removed: %s", fault.key)
        else:
            log.info("removed what was past its time: %d rows", removed)
        if first is not None:
            first()
            first = None
        await asyncio.sleep(every_s)
