"""The settings while the bot runs: read again at SIGHUP, and swapped whole, between two answers.

A file with a mistake changes nothing, and the log says what is wrong. What cannot change while the
bot runs keeps its value, and the log names it.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from bot.config import SECTIONS, ConfigError, Settings
from bot.ops.metrics import RELOADS

log = logging.getLogger(__name__)

CHANGES: Mapping[str, frozenset[str]] = {  # what may change while the bot runs
    "discord": frozenset({"sync_on_start", "operators"}),
    "hub": frozenset({"enabled"}),
    "pictures": frozenset({"enabled"}),
    "log": frozenset({"level", "format", "questions"}),
    "limits": frozenset(
        {
            "identifies_per_hour",
            "longest_wait_s",
            "drain_s",
            "person_a_minute",
            "server_a_minute",
        }
    ),
    "prices": frozenset({"currency", "per_hour"}),
}
BESIDE = {  # what is no line of a section, in words
    "hub_token": "the token of the Hugging Face Hub",
    "store_address": "the address of the store",
}

Take = Callable[[Settings], None]


class Live:
    """The settings that hold: `now` is replaced whole, so whoever reads it reads one state."""

    def __init__(self, settings: Settings, read: Callable[[], Settings] | None = None) -> None:
        """`read`: reads them again; None where they came from no file."""
        self.now = settings
        self._read = read
        self._takers: list[Take] = []

    def tell(self, take: Take) -> None:
        """Call `take` at each change, with the new settings."""
        self._takers.append(take)

    def reload(self) -> None:
        """Read them again; never raises."""
        if self._read is None:
            return
        try:
            found = self._read()
        except ConfigError as error:
            RELOADS.add("refused")
            for problem in error.problems:
                log.error("the settings stay as they were: %s", problem)  # noqa: TRY400
            return
        changed, later, merged = _merged(self.now, found)
        RELOADS.add("taken")
        self.now = merged
        for take in self._takers:
            take(merged)
        log.info("the settings were read again; changed: %s", ", ".join(changed) or "nothing")
        if later:
            log.warning("takes a restart, and stays as it was: %s", ", ".join(later))


def _merged(old: Settings, new: Settings) -> tuple[list[str], list[str], Settings]:
    """What changes, what takes a restart, and the settings that hold from now on."""
    changed: list[str] = []
    later = [said for name, said in BESIDE.items() if getattr(old, name) != getattr(new, name)]
    sections: dict[str, Any] = {}
    for name in SECTIONS:
        before, after = getattr(old, name), getattr(new, name)
        other = {key: value for key, value in after if value != getattr(before, key)}
        taken = {key: value for key, value in other.items() if key in CHANGES.get(name, ())}
        changed += [f"[{name}] {key}" for key in taken]
        later += [f"[{name}] {key}" for key in other if key not in taken]
        sections[name] = before.model_copy(update=taken)
    return changed, later, old.model_copy(update=sections)


@contextmanager
def told_to_reload(reload: Callable[[], None], stop: Callable[[], None]) -> Iterator[None]:
    """SIGHUP calls `reload`; or `stop`, where it says that the terminal is gone."""
    had_terminal = _has_terminal()

    def hung_up() -> None:
        (stop if had_terminal and not _has_terminal() else reload)()

    loop = asyncio.get_running_loop()
    number: signal.Signals | None = getattr(signal, "SIGHUP", None)  # Windows has none
    if number is not None:
        loop.add_signal_handler(number, hung_up)
    try:
        yield
    finally:
        if number is not None:
            loop.remove_signal_handler(number)


def _has_terminal() -> bool:
    """Whether this was started in a terminal that is still there."""
    with suppress(OSError, ValueError, AttributeError):
        return os.isatty(sys.stderr.fileno())
    return False
