"""Fixtures: a Hub of its own for each test, and who asks it."""

from collections.abc import AsyncIterator

import pytest

from bot.hub.hub import Hub
from tests.hub.standin import HubStandIn

PATIENCE_S = 60  # the order of things is tested, and not this machine


@pytest.fixture
async def standin() -> AsyncIterator[HubStandIn]:
    """A Hub without repositories."""
    async with HubStandIn() as hub:
        yield hub


@pytest.fixture
async def hub(standin: HubStandIn) -> AsyncIterator[Hub]:
    """Who asks it, with all the time in the world."""
    asking = Hub(base=standin.base, patience_s=PATIENCE_S)
    yield asking
    await asking.close()
