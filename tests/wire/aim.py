"""Points the real client at a stand-in, and puts back what it was."""

from collections.abc import Iterator
from contextlib import contextmanager

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.wire.standin import StandIn


@contextmanager
def aimed_at(standin: StandIn) -> Iterator[None]:
    """Within, every client of this process takes the stand-in for Discord."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = standin.api_base
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(standin.gateway_url)
    try:
        yield
    finally:
        Route.BASE = base
        DiscordWebSocket.DEFAULT_GATEWAY = gateway
