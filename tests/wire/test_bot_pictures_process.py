"""The process that draws, beside the program as it is started: it comes and goes with it."""

import asyncio
import signal
from pathlib import Path

import pytest
from aiohttp import test_utils

from tests.wire.illustrated import has_picture
from tests.wire.our_bot import QUERY
from tests.wire.painters import drawers, needs_proc
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings

pytestmark = needs_proc


async def drawer(of: int) -> int:
    """The one process that draws, once it is there."""
    async with asyncio.timeout(PATIENCE_S):
        while not drawers(of):  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.02)
    (found,) = drawers(of)
    return found


def is_gone(process: int) -> bool:
    """Whether a process is no more, or only waits to be counted."""
    status = Path(f"/proc/{process}/status")
    return not status.exists() or "State:\tZ" in status.read_text(encoding="ascii")


async def gone(process: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_gone(process):  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.02)


def environment_of(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


def draws_itself(process: int) -> bool:
    """Whether a process has loaded what draws."""
    return "vl_convert" in Path(f"/proc/{process}/maps").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_it_ends_with_the_bot_however_that_ends(
    standin: StandIn, tmp_path: Path, number: signal.Signals
) -> None:
    config = settings(standin, test_utils.unused_port())
    token = {"DISCORD_TOKEN": standin.token, "HF_TOKEN": "hf_secret"}
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        reply = await standin.slash("vram train", QUERY)
        found = await drawer(process.pid)
        await reply.until(lambda: has_picture(reply.message), PATIENCE_S)
        environment = environment_of(found)
        assert draws_itself(found)
        assert not draws_itself(process.pid)
        process.send_signal(number)
        status, output = await ended(process)
        await gone(found)
    assert status == (-9 if number is signal.SIGKILL else 0)
    assert "Traceback" not in output
    assert b"TOKEN" not in environment


async def test_switched_off_there_is_none(standin: StandIn, tmp_path: Path) -> None:
    config = settings(standin, test_utils.unused_port()) + "[pictures]\nenabled = false\n"
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        reply = await (await standin.slash("vram train", QUERY)).finished(timeout=PATIENCE_S)
        assert reply.embeds
        await asyncio.sleep(0.3)
        assert not drawers(process.pid)
        assert not has_picture(reply.message)
        process.terminate()
        await ended(process)
