"""What takes many estimates, aside of the event loop: others are answered meanwhile, in time."""

import asyncio
from collections.abc import Callable

from bot.ask import Answered
from bot.ops.threads import Threads

MOST_WAITING = 4  # who comes then is answered without it


class Completing:
    """Completes one answer at a time, in a thread of its own, while a few wait."""

    def __init__(self) -> None:
        self._pool = Threads(max_workers=1, thread_name_prefix="completing")
        self._waiting = 0

    async def run(self, complete: Callable[[], Answered], found: Answered) -> tuple[Answered, bool]:
        """What `complete` makes of `found`; `found` as it is where too many wait for that.

        And whether it was completed.
        """
        if self._waiting >= MOST_WAITING:
            return found, False
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, complete), True
        finally:
            self._waiting -= 1


COMPLETING = Completing()
