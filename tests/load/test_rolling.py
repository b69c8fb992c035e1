"""Processes that are replaced while people ask: nothing is lost, nothing is answered twice."""

from pathlib import Path

from tests.load.fleet import Size
from tests.load.rolling import IN_PLACE, OVERLAP, Plan, rolled

PATIENCE_S = 600.0  # in place of Discord's three seconds: other tests run beside this one
SMALL = Plan(
    Size(processes=2, shards=2, servers=40),
    rate=3,
    pause_s=0.5,
    replaced=1,
    spaced=False,
    answer_s=PATIENCE_S,
)


async def test_nothing_is_lost_while_a_process_is_replaced(tmp_path: Path) -> None:
    """Once by one that is ready beside it, and once by one that starts when it is gone."""
    said: list[str] = []
    found = await rolled(SMALL, tmp_path, said.append)
    for phase in (OVERLAP, IN_PLACE):
        one = found.phases[phase]
        assert one.asked > 0
        assert (one.answered, one.lost, one.unheard, one.twice) == (one.asked, 0, 0, 0)
    assert [gap.shard for gap in found.gaps] == [0, 1]
    assert all(gap.resumed for gap in found.gaps)
    assert found.identifies == found.resumes == SMALL.size.shards
    assert found.exits == [0] * 4
    assert not [line for line in found.faults if "Traceback" in line]
    assert found.broken == []
    assert len(said) == 3
