"""What asks a running program to stop: a signal, where the event loop can hear it."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call `stop`, where the event loop can hear them."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # on Windows, where Ctrl+C raises KeyboardInterrupt
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in SIGNALS:
                loop.remove_signal_handler(number)
