"""Who knows models that no table has."""

from typing import Protocol

from bot.hub.repository import Outcome


class Hub(Protocol):
    """Knows them by what it remembers, or by asking."""

    async def recall(self, name: str) -> Outcome | None:
        """What is known of `name` without asking anybody."""

    async def look_up(self, name: str) -> Outcome:
        """What there is to know of `name`; never raises."""

    async def close(self) -> None:
        """Let go of everything."""
