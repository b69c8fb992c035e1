"""Garbage among all that was to stay: looked for once an hour, at a moment of rest.

`bot.pauses` lets what a search has left stay for good. What became garbage only later, and holds
itself in a circle, would else never go: in years that is much.
"""

import asyncio
import gc
from collections.abc import Callable

EVERY_S = 3600.0
QUIET_S, QUIET_WITHIN_S = 1.0, 600.0  # between two looks whether nobody is answered; for so long


def tidy() -> None:
    """Look among all that is there; what is left stays again."""
    gc.unfreeze()
    gc.collect()


async def tidy_hourly(is_quiet: Callable[[], bool]) -> None:
    """Do so at a moment in which nobody is answered, if there is one soon."""
    while True:
        await asyncio.sleep(EVERY_S)
        for _ in range(int(QUIET_WITHIN_S / QUIET_S)):
            if is_quiet():
                break
            await asyncio.sleep(QUIET_S)
        tidy()
