"""Telling Discord that an answer to a press will come, where it takes longer than Discord waits."""

import asyncio

from bot.delivery import deliver
from bot.slash import ANNOUNCED_S, Interaction


class Announcing:
    """From its beginning, the message stays as it is until there is an answer, or too long."""

    def __init__(self, interaction: Interaction, what: str) -> None:
        self._interaction = interaction
        self._what = what
        self._sending = False
        self._task = asyncio.create_task(self._after_a_while())

    async def now(self) -> None:
        """Announce it without waiting any longer."""
        if not await self.settled():
            await self._announce()

    async def settled(self) -> bool:
        """End the wait; whether it was announced, so that an answer is an edit."""
        if not self._sending:
            self._task.cancel()
        await asyncio.wait({self._task})
        return self._interaction.response.is_done()

    async def _after_a_while(self) -> None:
        await asyncio.sleep(ANNOUNCED_S)
        self._sending = True
        await self._announce()

    async def _announce(self) -> None:
        defer = self._interaction.response.defer
        await deliver(defer, f"{self._what}, announced")
