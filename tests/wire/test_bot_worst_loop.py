"""The worst loops: at most 50 sessions are begun in an hour, in one process or in many."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest

from bot.pace import BURST, GAP_S, HOUR_S, Pace
from bot.sections import LimitSettings
from bot.starts import DEFAULT_FILE, Starts
from tests.wire.our_bot import ready, started
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, port, program, settings

pytestmark = pytest.mark.usefixtures("lenient")

MOST = 50  # in an hour
AN_HOUR = LimitSettings().identifies_per_hour
FASTER = 1200  # an hour is three seconds here
__all__ = ["port"]  # a fixture


def fast() -> Pace:
    """The pace of the product, so many times as fast."""
    return Pace(AN_HOUR * FASTER, gap_s=5 / FASTER)


@pytest.mark.parametrize("how", ["invalid", "fatal to a client", "never ready"])
async def test_a_session_that_is_taken_at_once_is_begun_no_oftener(
    standin: StandIn, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all clients that one process makes."""
    monkeypatch.setattr("bot.shard.BEGIN_S", 0.01)
    if how == "never ready":
        standin.faults.never_ready.arm()
    async with started(standin, pace=fast()):
        end = time.monotonic() + HOUR_S / FASTER
        while time.monotonic() < end:
            if how == "invalid":
                await standin.invalidate(resumable=False)
            elif how == "fatal to a client":
                await standin.send_text("not json")
            await asyncio.sleep(0.01)
    assert len(standin.identifies) > 2
    begun = [one.at for one in standin.identifies]
    for place, first in enumerate(begun):
        within = [moment for moment in begun[place:] if moment < first + HOUR_S / FASTER]
        assert len(within) <= MOST
    # where an hour is three seconds, so are its calls
    assert set(standin.expect_violations()) <= {"more than 50 calls in one second"}


async def test_a_process_that_is_started_again_and_again_begins_no_oftener(
    standin: StandIn, tmp_path: Path
) -> None:
    """Each dies as soon as it is ready, and the next knows of none but by the file."""
    shift, begun = 0.0, []

    def clock() -> float:
        return time.time() + shift

    async def asleep(seconds: float) -> None:
        nonlocal shift
        shift += seconds

    for _ in range(BURST + 2):
        starts = Starts(tmp_path / DEFAULT_FILE, "all", clock)
        pace = Pace(AN_HOUR, clock=clock, sleep=asleep, starts=starts)
        shift += await _due(pace)
        async with ready(standin, pace=pace):
            begun.append(clock())
    assert len(standin.identifies) == BURST + 2
    assert begun[BURST] - begun[0] >= HOUR_S / AN_HOUR
    assert begun[BURST + 1] - begun[BURST] >= HOUR_S / AN_HOUR - BURST
    assert all(later - one >= GAP_S for one, later in pairwise(begun))


async def _due(pace: Pace) -> float:
    """Seconds until it may begin: who starts it again would only find it waiting."""
    await pace.check(patience_s=float("inf"))
    return pace.wait_s()


async def test_the_program_keeps_it_beside_its_store_and_waits(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    now = time.time()
    kept = [f"{now - age_s:.3f} all of auto" for age_s in range(6 * MOST, 0, -6)]
    (tmp_path / DEFAULT_FILE).write_text("\n".join(kept), encoding="utf-8")
    token = {"DISCORD_TOKEN": standin.token}
    config = settings(standin, port)
    async with program(tmp_path, config=config, environment=token) as process:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while b"too many sessions were begun" not in await process.stdout.readline():
                pass
        process.terminate()
    assert standin.identifies == []


async def test_a_start_is_written_down_before_the_session_begins(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await standin.until(lambda: len(standin.identifies) == 1, PATIENCE_S)
        process.kill()
    assert (tmp_path / DEFAULT_FILE).read_text(encoding="utf-8").endswith(" all of auto\n")


async def test_what_cannot_be_kept_keeps_nobody_from_connecting(
    standin: StandIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    starts = Starts(tmp_path, "all")  # a folder
    async with ready(standin, pace=Pace(AN_HOUR, starts=starts)):
        pass
    assert caplog.text.count("is not kept over restarts") == 1
