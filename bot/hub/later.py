"""The Hub as the settings have it: off, or made ready when it is first asked.

Nothing of the network is loaded before: most questions never need it.
"""

from collections.abc import Callable

from bot.ask import Hub
from bot.config import Settings
from bot.hub.repository import Missed, Outcome, Reason


class Off:
    """Says of every model that nobody is asked."""

    async def recall(self, name: str) -> Outcome | None:
        """That it is switched off."""
        return Missed(id=name[:200], reason=Reason.SWITCHED_OFF)

    async def look_up(self, name: str) -> Outcome:
        """That it is switched off."""
        return Missed(id=name[:200], reason=Reason.SWITCHED_OFF)

    async def close(self) -> None:
        """There is nothing to close."""


class Later:
    """The Hub of `settings`, which are read when there is a question for it."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._hub: Hub | None = None

    async def recall(self, name: str) -> Outcome | None:
        """As the Hub's own."""
        return await self._made().recall(name)

    async def look_up(self, name: str) -> Outcome:
        """As the Hub's own."""
        return await self._made().look_up(name)

    async def close(self) -> None:
        """Close it, if it was ever made."""
        if self._hub is not None:
            await self._hub.close()

    def _made(self) -> Hub:
        if self._hub is None:
            self._hub = hub_of(self._settings())
        return self._hub


class Switched(Later):
    """The Hub while settings may switch it off and on again."""

    def _made(self) -> Hub:
        return super()._made() if self._settings().hub.enabled else OFF


OFF = Off()


def hub_of(settings: Settings) -> Hub:
    """Who is asked, as the settings say."""
    if not settings.hub.enabled:
        return Off()
    from bot.hub import hub  # noqa: PLC0415  (aiohttp takes a while to load)

    return hub.Hub(token=settings.hub_token, cache_file=settings.hub.cache_file)
