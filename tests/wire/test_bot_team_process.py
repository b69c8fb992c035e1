"""The whole program, killed right after it said that cards are kept: they are there again."""

from pathlib import Path

from aiohttp import test_utils

from bot.store.address import DEFAULT_FILE
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings
from tests.wire.test_bot_team import CARDS, TEAM

LATE_S = 60


async def test_cards_outlive_the_program(standin: StandIn, tmp_path: Path) -> None:
    config = settings(standin, test_utils.unused_port())
    token = {"DISCORD_TOKEN": standin.token}
    boss = standin.person("boss", manages=True)
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        standin.settings.answer_within_s = LATE_S
        kept = await (await standin.slash(TEAM, CARDS, by=boss)).finished(timeout=LATE_S)
        process.kill()
        await ended(process)
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.until(lambda: len(standin.identifies) == 2, PATIENCE_S)
        await standin.ready(timeout=PATIENCE_S)
        shown = await (await standin.slash(TEAM, {"query": "show"}, by=boss)).finished(
            timeout=LATE_S
        )
        process.terminate()
        status, output = await ended(process)
    assert kept.content == shown.content
    assert "2× RTX 3090" in shown.content
    assert (tmp_path / DEFAULT_FILE).exists()
    assert status == 0
    assert "Traceback" not in output
