"""SIGHUP to the running program: settings change between two answers, or not at all."""

import asyncio
import json
import signal
from pathlib import Path

import pytest
from aiohttp import ClientSession, test_utils

from tests.wire.our_bot import QUERY
from tests.wire.people import Person
from tests.wire.processes import said
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import PATIENCE_S, ended, program, settings

BOSS = Person("boss", id="77")


@pytest.fixture
def port() -> int:
    return test_utils.unused_port()


def written(folder: Path, standin: StandIn, port: int, discord: str = "", more: str = "") -> None:
    text = settings(standin, port, discord) + more
    (folder / "config.toml").write_text(text, encoding="utf-8")


async def scraped(port: int) -> str:
    """`/metrics` as it is now."""
    async with (
        ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as response,
    ):
        return await response.text()


async def test_what_can_change_does_and_the_rest_is_named(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    standin.settings.answer_within_s = 60
    config = settings(standin, port) + "[pictures]\nenabled = false\n"
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=config, environment=token) as process:
        await said(process, "ready, connections")
        before = await (await standin.slash("vram status", by=BOSS)).finished(timeout=60)
        written(
            tmp_path,
            standin,
            port,
            "operators = [77]\nshard_count = 5",
            'drain_s = 2\n[log]\nformat = "json"\n[hub]\nenabled = false\n',
        )
        process.send_signal(signal.SIGHUP)
        told = json.loads(await said(process, "were read again"))
        later = json.loads(await said(process, "takes a restart"))
        after = await (await standin.slash("vram status", by=BOSS)).finished(timeout=60)
        page = ""
        async with asyncio.timeout(PATIENCE_S):
            while "vram_picture_worker_starts_total 1.0" not in page:
                page = await scraped(port)
        process.terminate()
        status, output = await ended(process)
    changed = told["message"].partition("changed: ")[2].split(", ")
    assert changed == [
        *("[discord] operators", "[hub] enabled", "[pictures] enabled"),
        *("[log] format", "[limits] drain_s"),
    ]
    assert later["message"].endswith(": [discord] shard_count")
    assert "is for whoever runs this bot" in before.content
    assert "`[hub] enabled = false`" in after.content
    assert "shard_count = 5" not in after.content
    assert 'vram_settings_reloads_total{outcome="taken"} 1.0' in page
    assert all(json.loads(line) for line in output.splitlines())
    assert standin.token not in output
    assert status == 0
    assert len(standin.identifies) == 1


async def test_a_file_with_a_mistake_changes_nothing(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await said(process, "ready, connections")
        written(tmp_path, standin, port, more='drain_s = "x"\n[log]\nformat = "json"\nlevl = "x"\n')
        process.send_signal(signal.SIGHUP)
        first, second = [await said(process, "stay as they were") for _ in range(2)]
        (tmp_path / "config.toml").unlink()
        process.send_signal(signal.SIGHUP)
        gone = await said(process, "stay as they were")
        reply = await (await standin.slash("vram train", QUERY)).finished(timeout=PATIENCE_S)
        process.terminate()
        status, output = await ended(process)
    assert "`[log] levl`. Did you mean `level`?" in first + second
    assert "`[limits] drain_s` is a number of seconds" in first + second
    assert "config.toml: this file does not exist." in gone
    assert reply.embeds
    assert "{" not in output.partition(" ")[0]  # the form is the old one
    assert status == 0


async def test_many_signals_among_answers_lose_none(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    standin.settings.answer_within_s = 60
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await said(process, "ready, connections")
        asking = []
        for number in range(20):
            written(tmp_path, standin, port, more=f"drain_s = {number % 7}\n")
            asking.append(asyncio.create_task(standin.slash("vram train", QUERY)))
            await asyncio.sleep(0)
            process.send_signal(signal.SIGHUP)
        replies = [await reply.finished(timeout=60) for reply in await asyncio.gather(*asking)]
        process.terminate()
        status, output = await ended(process)
    assert all(reply.embeds for reply in replies)
    assert "Traceback" not in output
    assert status == 0
