"""Advice aside of the event loop: it takes many estimates, and others wait meanwhile."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from bot.ask import Answered, Desk, Replied

MOST_WAITING = 4  # for advice; who comes then is answered without it, and in time


class Advising:
    """One at a time looks for advice, in a thread of its own, and a few wait."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="advice")
        self._waiting = 0

    async def __call__(self, desk: Desk, found: Answered) -> Answered:
        """The answer with what would make it fit; as it is where too many wait for that."""
        if not isinstance(found, Replied) or self._waiting >= MOST_WAITING:
            return found
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, desk.advised, found)
        finally:
            self._waiting -= 1
