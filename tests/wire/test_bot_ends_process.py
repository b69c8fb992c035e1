"""The program is stopped in the middle of everything: what was begun is finished."""

import os
import signal
from pathlib import Path

import pytest
from aiohttp import test_utils

from tests.wire.illustrated import EDIT, POST
from tests.wire.our_bot import CALLBACK, QUERY
from tests.wire.standin import BUTTON, StandIn
from tests.wire.test_bot_pictures_process import drawer
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings
from tests.wire.under import COPY

LATE_S = 60
SLOW_S = 1.0  # each call, while the program ends


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_all_that_is_on_its_way_arrives(
    standin: StandIn, tmp_path: Path, number: signal.Signals
) -> None:
    """A command, a press, a list, an answer in a channel, and a picture that is put on one."""
    standin.settings.answer_within_s = LATE_S
    config = settings(standin, test_utils.unused_port()) + f"drain_s = {LATE_S}\n"
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        reply = await (await standin.slash("vram train", QUERY)).finished(timeout=LATE_S)
        people, before = standin.people(), len(standin.requests_to(CALLBACK))
        standin.faults.delay(SLOW_S, route=EDIT, times=None)
        drawing = await drawer(process.pid)
        os.kill(drawing, signal.SIGSTOP)  # so that its picture is late
        illustrated = await standin.answer_to(await standin.write("@bot 70B qlora"), LATE_S)
        os.kill(drawing, signal.SIGCONT)
        await standin.until(lambda: bool(standin.requests_to(EDIT, "PATCH")), PATIENCE_S)
        for route in (CALLBACK, POST):
            standin.faults.delay(SLOW_S, route=route, times=None)
        asked = await standin.write("@bot 7B lora", by=standin.person("bob"))
        exchanges = [
            people.slash("vram help", {}),
            people.press(COPY, reply.stored, BUTTON, None),
            people.autocomplete("vram team", {"query": "sho"}, "query"),
        ]
        for exchange in exchanges:
            await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) >= before + 3, LATE_S)
        await standin.until(lambda: len(standin.requests_to(POST)) > 1, LATE_S)
        process.send_signal(number)
        status, output = await ended(process)
    await standin.answer_to(asked)
    assert [exchange.status for exchange in exchanges] == [200, 200, 200]
    assert illustrated.stored["attachments"]
    assert status == 0
    assert "Traceback" not in output
