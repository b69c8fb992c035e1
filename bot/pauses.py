"""Pauses kept short: garbage is not looked for among what stays, and answers go first.

What is loaded (modules, tables, words) is a million objects that are never garbage. A search among
them takes a tenth of a second and more, in which nobody is answered.
"""

import ctypes
import gc
import sys
from contextlib import suppress

TURN_S = 0.0005  # after which a thread that works lets the event loop answer


def wait_with_garbage() -> None:
    """Look for none until `settle`."""
    gc.disable()


def settle() -> None:
    """What is there now stays: look for garbage among what comes from here on.

    And memory that reading the tables took, and that is free again, goes back to the system.
    """
    gc.freeze()
    gc.enable()
    with suppress(OSError, AttributeError):  # what is not there beside glibc
        ctypes.CDLL(None).malloc_trim(0)


def answers_first() -> None:
    """Let the event loop have its turn soon where other threads work.

    Python's own 5 ms for a turn are as long as a whole answer takes, and each of its steps would
    wait for so long while another one is worked out aside.
    """
    sys.setswitchinterval(TURN_S)
