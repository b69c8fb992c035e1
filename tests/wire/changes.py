"""Waiting for something to be so, without polling."""

import asyncio
from collections.abc import Callable


class Changes:
    """Tells those who wait that they should look again."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def until(self, holds: Callable[[], bool], timeout: float, what: str) -> None:  # noqa: ASYNC109
        """Wait until `holds`; a TimeoutError says what was waited for."""
        try:
            async with asyncio.timeout(timeout):
                while not holds():
                    await self._changed.wait()
        except TimeoutError:
            raise TimeoutError(f"waited {timeout:g} s for {what}") from None
