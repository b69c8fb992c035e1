"""Interactions that are damaged at random: answered, and nothing ends. Longer: `tests.fuzz`."""

import pytest

from tests.fuzz.payloads import tried

pytestmark = pytest.mark.usefixtures("unhurried")

MOST = 40  # payloads of one seed


@pytest.mark.parametrize("seed", range(2))
async def test_damaged_payloads_end_nothing(seed: int) -> None:
    count, failed = await tried(seed, lambda count: count < MOST)
    assert count == MOST
    assert not failed
