"""A limit on all calls of the bot, which discord.py waits out: and which is over in any case.

The call that met it says when it is over. One that is given up while it waits never says so, and
all others would wait for ever.
"""

import asyncio

from discord.http import HTTPClient

# Discord counts the calls of each second by itself.
# Source: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
LONGEST_S = 5.0


class GlobalLimit(asyncio.Event):
    """Set while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.set()

    def clear(self) -> None:
        """There is one, for a while."""
        super().clear()
        asyncio.get_running_loop().call_later(LONGEST_S, self.set)


def end_limits(http: HTTPClient) -> None:
    """Let no limit of a client that has logged in hold it up for ever."""
    http._global_over = GlobalLimit()  # noqa: SLF001  (discord.py offers no other way)
