"""Telling Discord that an answer to a press will come, where it takes longer than Discord waits."""

import asyncio

from bot.announcing import announce, is_announced
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
            await announce(self._interaction, self._what)

    async def settled(self) -> bool:
        """End the wait; whether it was announced, so that an answer is an edit."""
        if not self._sending:
            self._task.cancel()
        await asyncio.wait({self._task})
        return is_announced(self._interaction)

    async def _after_a_while(self) -> None:
        await asyncio.sleep(ANNOUNCED_S)
        self._sending = True
        await announce(self._interaction, self._what)
