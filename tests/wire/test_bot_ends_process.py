"""The program is stopped or killed in the middle of it: what was begun is finished, or kept."""

import random
import signal
from pathlib import Path

import pytest
from aiohttp import test_utils

from tests.wire.illustrated import EDIT, POST
from tests.wire.our_bot import CALLBACK, QUERY
from tests.wire.standin import BUTTON, StandIn
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings
from tests.wire.test_bot_team import TEAM
from tests.wire.under import COPY

LATE_S = 60
SLOW_S = 1.0  # each call, while the program ends
KILLS = 3
MOST_KEPT = 4  # told as kept, before it is killed


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
        illustrated = await standin.answer_to(await standin.write("@bot 70B qlora"), LATE_S)
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


async def test_killed_while_cards_are_kept_it_knows_the_last_or_the_next(
    standin: StandIn, tmp_path: Path
) -> None:
    chance = random.Random(1)  # noqa: S311  (where to kill, and no secret)
    standin.settings.answer_within_s = LATE_S
    config = settings(standin, test_utils.unused_port()) + "[pictures]\nenabled = false\n"
    token = {"DISCORD_TOKEN": standin.token}
    boss = standin.person("boss", manages=True)
    told = 0
    for life in range(KILLS + 1):
        async with program(tmp_path, config=config, environment=token) as process:
            await standin.until(lambda: len(standin.identifies) == life + 1, PATIENCE_S)  # noqa: B023
            await standin.ready(timeout=PATIENCE_S)
            shown = await (await standin.slash(TEAM, {"query": "show"}, by=boss)).finished(
                timeout=LATE_S
            )
            kept = next(
                (each for each in (told, told + 1) if f"{each}× RTX 3090" in shown.content), 0
            )
            assert kept or not told, shown.content
            told = kept
            if life == KILLS:
                process.terminate()
                assert (await ended(process))[0] == 0
                break
            for _ in range(chance.randrange(1, MOST_KEPT)):
                told = max(told, 1) + 1
                query = {"query": f"{told}x 3090"}
                await (await standin.slash(TEAM, query, by=boss)).finished(timeout=LATE_S)
            next_one = standin.people(boss).slash(TEAM, {"query": f"{told + 1}x 3090"})
            await standin.dispatch("INTERACTION_CREATE", next_one.interaction)
            process.kill()
            await ended(process)
    assert told > KILLS
