"""Pauses kept short: garbage is not looked for among what stays, and answers go first.

What is loaded (modules, tables, words) and remembered is half a million objects that are hardly
ever garbage. A search among them takes a tenth of a second and more, in which nobody is answered.
"""

import ctypes
import gc
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

TURN_S = 0.0005  # after which a thread that works lets the event loop answer
FULL = 2  # the generation of a search among all


def wait_with_garbage() -> None:
    """Look for none until `settle`."""
    gc.disable()


def settle() -> None:
    """What is there now stays: look for garbage among what comes from here on.

    And memory that reading the tables took, and that is free again, goes back to the system.
    """
    gc.freeze()
    gc.enable()
    if _stay not in gc.callbacks:
        gc.callbacks.append(_stay)
    with suppress(OSError, AttributeError):  # what is not there beside glibc
        ctypes.CDLL(None).malloc_trim(0)


def _stay(phase: str, info: Mapping[str, Any]) -> None:
    """What a whole search has left is not looked at by the next one: it is what is remembered."""
    if phase == "stop" and info["generation"] == FULL:
        gc.freeze()


def answers_first() -> None:
    """Let the event loop have its turn soon where other threads work.

    Python's own 5 ms for a turn are as long as a whole answer takes, and each of its steps would
    wait for so long while another one is worked out aside.
    """
    sys.setswitchinterval(TURN_S)
