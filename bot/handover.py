"""Sessions that go from a process that is stopped to the one that starts in its place.

Who begins anew waits for its turn, of which Discord gives one in five seconds, and what people
typed meanwhile is gone. Who goes on with the session of another does so at once, and is told what
it missed. So a process that is stopped leaves its sessions in the store that all share; what is
left there is taken by one process, once, and soon: see `bot.store.sessions`.

Where that cannot be done a session begins anew, as after a crash.
"""

import logging
from collections.abc import Collection, Sequence
from functools import partial

from bot.store.database import Database
from bot.store.faults import StoreFault
from bot.store.sessions import Left, Whose, leave_sessions, take_sessions

log = logging.getLogger(__name__)

LEAVE_S = 3.0  # who stops has not long
TAKE_S = 6.0  # with what loads for it; beginning anew takes about as long


class Handover:
    """Never raises: nobody depends on it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def leave(self, whose: Whose, left: Sequence[Left]) -> None:
        """Leave these to who comes next."""
        if not left:
            return
        try:
            work = partial(leave_sessions, whose=whose, left=left)
            await self._database.run(work, within_s=LEAVE_S)
        except StoreFault as fault:
            log.warning("sessions are not left to the next process: %s", fault.key)
        else:
            log.info("sessions left to the next process: %d", len(left))

    async def take(self, whose: Whose, shard_ids: Collection[int]) -> dict[int, Left]:
        """What was left of these shards, by shard."""
        try:
            work = partial(take_sessions, whose=whose, shard_ids=shard_ids)
            taken = await self._database.run(work, within_s=TAKE_S)
        except StoreFault as fault:
            log.warning("sessions of the process before are not known: %s", fault.key)
            return {}
        if taken:
            log.info("sessions of the process before: %d", len(taken))
        return taken
