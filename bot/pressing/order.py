"""Presses on one message, one after another, each on top of what the one before it made.

Who presses fast presses on a message that does not yet show what came of the last press. What
that was is kept for some seconds, and only that; a press on what the message shows by itself
needs nothing of it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic

KEPT_S = 20.0  # after the last press; an edit is long there by then
Lines = tuple[str, ...]


@dataclass(slots=True)
class Place:
    """What is known of one message: its `latest` lines, and those it `shows`.

    `passed`: lines that it had on the way. `fresh`: presses that have not had their turn.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: Lines = ()
    shows: Lines = ()
    passed: set[Lines] = field(default_factory=set)
    fresh: int = 0
    users: int = 0
    used: float = 0.0

    def base(self, sent: Sequence[str]) -> Lines:
        """The lines that a press changes which came with the lines `sent`."""
        lines = tuple(sent)
        if lines not in self.passed:
            self.latest = self.shows = lines
            self.passed = {lines}
        return self.latest

    def moves_to(self, lines: Sequence[str]) -> None:
        """A press was taken; the message is to show `lines`."""
        self.latest = tuple(lines)
        self.passed.add(self.latest)


class Order:
    """Gives each message its turns, first come first."""

    def __init__(self) -> None:
        self._places: dict[int, Place] = {}

    @asynccontextmanager
    async def at(self, message_id: int) -> AsyncIterator[Place]:
        """The place of a message; whoever is in it may take turns by its lock."""
        self._forget()
        place = self._places.setdefault(message_id, Place())
        place.users += 1
        try:
            yield place
        finally:
            place.users -= 1
            place.used = monotonic()

    def __len__(self) -> int:
        """How many messages something is known of."""
        return len(self._places)

    def _forget(self) -> None:
        """Drop what nobody pressed for a while."""
        now = monotonic()
        old = [n for n, one in self._places.items() if not one.users and now - one.used > KEPT_S]
        for number in old:
            del self._places[number]
