"""A press after the program was stopped and started again: nothing was kept, all is answered."""

from pathlib import Path

import pytest
from aiohttp import test_utils

from tests.wire.our_bot import QUERY
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings
from tests.wire.under import EXACT, FORM, HOW, MATHS, SELECT, SIZE, line_of


@pytest.fixture
def port() -> int:
    return test_utils.unused_port()


async def test_a_press_is_answered_after_a_restart(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    config, token = settings(standin, port), {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        standin.settings.answer_within_s = 60
        reply = await (await standin.slash("vram train", QUERY)).finished(timeout=60)
        form = await standin.press(EXACT, reply)
        process.terminate()
        await ended(process)
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.until(lambda: len(standin.identifies) == 2, PATIENCE_S)
        await standin.ready(timeout=PATIENCE_S)
        filled = await standin.submit(FORM, {"seq": "4096"}, timeout=PATIENCE_S)
        await standin.press(HOW, reply, SELECT, ["qlora"])
        await standin.press(SIZE, reply, SELECT, ["bs 4"])
        await standin.until(lambda: line_of(reply).endswith("bs 4 seq 4096"), 60)
        maths = await standin.press(MATHS, reply)
        process.terminate()
        status, output = await ended(process)
    assert form.type == 9
    assert filled.type in (6, 7)
    assert line_of(reply) == "train 7B qlora adamw bs 4 seq 4096"
    assert maths.ephemeral
    assert status == 0
    assert "Traceback" not in output
