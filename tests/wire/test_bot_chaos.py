"""REST out of order at random, while people ask: nothing is lost."""

import pytest

from tests.wire.chaos import chaos

SECONDS = 5.0


@pytest.mark.parametrize("seed", [1])
async def test_nothing_is_lost(seed: int) -> None:
    tally = await chaos(SECONDS, seed)
    assert tally.asked
    assert tally.lost == [], str(tally)
