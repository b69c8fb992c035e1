"""Pauses kept short: garbage is not looked for among what stays, and answers go first.

What is loaded (modules, tables, words) and remembered is half a million objects that are hardly
ever garbage. A search among them takes a tenth of a second and more, in which nobody is answered.
"""

import asyncio
import gc
import sys
from collections.abc import Callable, Mapping
from typing import Any

TURN_S = 0.0005  # after which a thread that works lets the event loop answer
FULL = 2  # the generation of a search among all
TIDY_EVERY_S = 3600.0
QUIET_S, QUIET_WITHIN_S = 1.0, 600.0  # between two looks whether nobody is answered; for so long


def wait_with_garbage() -> None:
    """Look for none until `settle`."""
    gc.disable()


def settle() -> None:
    """What is there now stays: look for garbage among what comes from here on."""
    gc.freeze()
    gc.enable()
    if _stay not in gc.callbacks:
        gc.callbacks.append(_stay)


def _stay(phase: str, info: Mapping[str, Any]) -> None:
    """What a whole search has left is not looked at by the next one: it is what is remembered."""
    if phase == "stop" and info["generation"] == FULL:
        gc.freeze()


def tidy() -> None:
    """Look for garbage among all that was there, and let the rest stay."""
    gc.unfreeze()
    gc.collect()


async def tidy_hourly(is_quiet: Callable[[], bool]) -> None:
    """Do so once an hour, at a moment in which nobody is answered, if there is one soon.

    What was about to be let go while a search was on would else stay for ever.
    """
    while True:
        await asyncio.sleep(TIDY_EVERY_S)
        for _ in range(int(QUIET_WITHIN_S / QUIET_S)):
            if is_quiet():
                break
            await asyncio.sleep(QUIET_S)
        tidy()


def answers_first() -> None:
    """Let the event loop have its turn soon where other threads work.

    Python's own 5 ms for a turn are as long as a whole answer takes, and each of its steps would
    wait for so long while another one is worked out aside.
    """
    sys.setswitchinterval(TURN_S)
