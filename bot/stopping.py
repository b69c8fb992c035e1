"""What asks a running program to stop: a signal, where the event loop can hear it."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

SIGNALS = (signal.SIGTERM, signal.SIGINT)

_told: list[Callable[[], None]] = []  # a signal has one handler, and may concern several


@contextmanager
def told_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call `stop`, where the event loop can hear them."""
    loop = asyncio.get_running_loop()
    _told.append(stop)
    with suppress(NotImplementedError):  # on Windows, where Ctrl+C raises KeyboardInterrupt
        for number in SIGNALS:
            loop.add_signal_handler(number, _tell)
    try:
        yield
    finally:
        _told.remove(stop)
        with suppress(NotImplementedError):
            for number in () if _told else SIGNALS:
                loop.remove_signal_handler(number)


def _tell() -> None:
    for stop in [*_told]:
        stop()
