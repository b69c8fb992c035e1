"""Clocks that jump, and a machine that slept: nobody is left without an answer."""

import asyncio
import signal
import time
from datetime import datetime, timedelta
from pathlib import Path

import discord
import pytest

from bot.pace import Pace
from tests.wire.our_bot import answers, ready
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, answered, ended, port, program, settings

pytestmark = pytest.mark.usefixtures("lenient")

HOUR_S, YEAR_S = 3600, 365 * 24 * 3600
__all__ = ["port"]  # a fixture


@pytest.mark.parametrize("jump_s", [2 * HOUR_S, -2 * HOUR_S, 10 * YEAR_S, -10 * YEAR_S])
async def test_the_time_of_day_may_jump(
    standin: StandIn, jump_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where it was never set, or is set right while the bot runs."""
    real, now = time.time, discord.utils.utcnow

    def jumped() -> datetime:
        return now() + timedelta(seconds=jump_s)

    async with ready(standin) as running:
        client = running.client
        assert await answers(standin)
        monkeypatch.setattr("time.time", lambda: real() + jump_s)
        monkeypatch.setattr("discord.utils.utcnow", jumped)
        assert await answers(standin)
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        await standin.invalidate(resumable=False)
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)
        assert running.client is client


async def test_the_clock_that_only_goes_forward_may_leap(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a system counts the hours in which it slept: all that waits is due at once."""
    real, slept_s = time.monotonic, 0

    def leaping() -> float:
        return real() + slept_s

    monkeypatch.setattr("time.monotonic", leaping)
    pace = Pace(an_hour=100_000, gap_s=0, clock=leaping)
    async with ready(standin, pace=pace):
        assert await answers(standin)
        slept_s = 3 * HOUR_S
        await standin.until(lambda: len(standin.connections) > 1)
        await standin.ready()
        assert await answers(standin)


async def test_a_machine_that_slept_is_back_when_it_wakes(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    """After a nap who waits is answered; after a night Discord has closed, and forgotten it."""
    token = {"DISCORD_TOKEN": standin.token}
    standin.settings.heartbeat_ms, standin.settings.heartbeat_grace_s = 200, PATIENCE_S
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        await answered(standin)
        process.send_signal(signal.SIGSTOP)
        waiting = asyncio.create_task(answered(standin))
        await asyncio.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        await waiting
        process.send_signal(signal.SIGSTOP)
        await standin.close_gateway(4009)
        process.send_signal(signal.SIGCONT)
        await standin.until(lambda: len(standin.identifies) == 2, PATIENCE_S)
        await standin.ready(timeout=PATIENCE_S)
        await answered(standin)
        process.terminate()
        status, output = await ended(process)
    assert status == 0
    assert "Traceback" not in output
