"""The page to try the bot on, without a browser: its command, and what is typed there."""

import json
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest
import simcord
from discord.gateway import DiscordWebSocket

from bot.ask import Desk, open_desk
from bot.command_line import main
from bot.exits import Exit
from bot.hub.hub import Hub
from bot.page import BOT, World, bring_to_today, page, world
from bot.store.chosen import store_in
from bot.store.owner import Owner, OwnerKind
from bot.team import TeamCard
from bot.trying import EXTRA, REQUIREMENTS
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn
from tests.repo.product import ROOT

SECONDS = 120  # real ones, that a slow machine may take
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = (sys.executable, "-m", "bot", "try", "--no-browser")


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.fixture(autouse=True)
def gateway_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client sets where it would connect to for the whole process; this puts it back."""
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)


def titles(there: World) -> list[str | None]:
    """The title of each embed in the channel, in order."""
    return [embed.title for message in there.channel.history() for embed in message.embeds]


@pytest.mark.parametrize("port", ["x", "", "0", "-1", "65536", "9" * 5000, "8000 ", "八千", "²"])
def test_a_bad_port_is_answered(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", f"--port={port}"]) == Exit.CONFIGURATION
    assert capsys.readouterr().err.startswith("--port takes a number from 1 to 65535, such as")


def test_a_taken_port_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["try", "--no-browser", "--port", str(port)]) == Exit.CONFIGURATION
    said = capsys.readouterr()
    assert said.err.startswith(f"Port {port} is taken, or not yours to take.")
    assert said.out == ""


@pytest.mark.parametrize("missing", EXTRA)
def test_what_is_missing_is_said_in_one_sentence(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.trying.find_spec", lambda name: None if name == missing else name)
    assert main(["try"]) == Exit.CONFIGURATION
    said = capsys.readouterr()
    assert f"-m pip install --require-hashes -r {REQUIREMENTS}" in said.err
    assert len(said.err.splitlines()) == 1
    assert (ROOT / REQUIREMENTS).exists()


def test_readme_says_how_in_one_command() -> None:
    (line,) = (one for one in README.splitlines() if one.endswith(" -m bot try"))
    assert line.startswith("python3 -m venv .venv && ")
    assert f" --require-hashes -r {REQUIREMENTS} && " in line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_a_stop_ends_it(number: signal.Signals) -> None:
    with subprocess.Popen(
        PROGRAM, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("http://127.0.0.1:")
        program.send_signal(number)
        _, complaints = program.communicate(timeout=SECONDS)
    assert (program.returncode, complaints) == (0, "")


async def test_the_address_is_a_key_to_it(desk: Desk) -> None:
    async with world(desk) as there, page(there) as shown, aiohttp.ClientSession() as session:
        address, _, key = shown.url.partition("#")
        assert len(key) >= 32
        sent = {"viewer_id": str(there.you.id)}
        for given, status in ((key, 200), ("x" * len(key), 401)):
            headers = {"X-Simcord-Capability": given}
            async with session.post(f"{address}api/pages", json=sent, headers=headers) as said:
                assert said.status == status


@pytest.mark.parametrize(
    "line",
    ["/vram train 7B adam lora", "  /vram  train   7B adam lora ", "/vram train\n7B adam lora"],
)
async def test_a_line_is_the_command_that_it_names(desk: Desk, line: str) -> None:
    async with world(desk) as there:
        await there.you.send(there.channel, line)
        expected = desk.ask("train 7B lora").shown
        assert titles(there) == [getattr(expected, "headline", None)]


async def test_an_answer_is_what_discord_gets(desk: Desk) -> None:
    async with world(desk) as there:
        typed = await there.you.send(there.channel, "/vram fit 4090")
        given = await there.you.slash(there.channel, "vram fit", query="4090")
        assert given.response is not None
        assert [one.to_dict() for one in typed.embeds] == [
            one.to_dict() for one in given.response.embeds
        ]


@pytest.mark.parametrize("line", ["/vram help", "/vram help me", "/vram train frobadam 7B"])
async def test_what_is_for_the_asker_alone_is_shown_to_them(desk: Desk, line: str) -> None:
    async with world(desk) as there:
        answer = await there.you.send(there.channel, line)
        assert isinstance(answer, simcord.ResponseMessage)
        assert answer.ephemeral


@pytest.mark.parametrize("line", ["/vram", "/vram frobnicate 7B", "/vramtrain 7B", "7B lora", "/"])
async def test_other_lines_stay_words(desk: Desk, line: str) -> None:
    async with world(desk) as there:
        await there.you.send(there.channel, line)
        assert [message.content for message in there.channel.history()] == [line]


@pytest.mark.parametrize("line", ["/vram train", "/vram oom  "])
async def test_a_command_without_its_words_is_not_sent(desk: Desk, line: str) -> None:
    async with world(desk) as there:
        await there.you.send(there.channel, line)
        assert [message.content for message in there.channel.history()] == [line]


async def test_a_mention_is_answered_and_a_reply_changes_the_answer(desk: Desk) -> None:
    async with world(desk) as there:
        await there.you.send(there.channel, f"@{BOT.upper()} 7B lora")
        answer = there.channel.last_message
        assert answer is not None
        await there.friend.send(there.channel, "with qlora", reply_to=answer)
        lines = ("train 7B lora", "train 7B qlora")
        assert titles(there) == [getattr(desk.ask(line).shown, "headline", None) for line in lines]


async def test_a_model_of_the_hub_is_looked_up_or_its_absence_is_said() -> None:
    async with HubStandIn() as standin:
        standin.add("some/thing-8b", LLAMA, counts={"BF16": LLAMA_COUNT})
        hub = Hub(base=standin.base, patience_s=SECONDS)
        async with world(open_desk(hub=hub)) as there:
            found = await there.you.send(there.channel, "/vram train some/thing-8b lora")
            missed = await there.you.send(there.channel, "/vram train some/other-8b lora")
        await hub.close()
    assert "GiB" in (found.embeds[0].title or "")
    assert "shows no `some/other-8b`" in missed.content


async def test_commands_that_are_mentioned_can_be_pressed(desk: Desk) -> None:
    async with world(desk) as there, page(there) as shown:
        await there.you.send(there.channel, "/vram help")
        drawn = json.dumps(await shown.snapshot())
    assert drawn.count('"type": "command"') == drawn.count("</vram ") >= 5


async def test_times_are_of_today(desk: Desk) -> None:
    async with world(desk) as there:
        await bring_to_today(there.env)
        message = await there.you.send(there.channel, "hello")
        assert (datetime.now(UTC) - message.created_at).total_seconds() < SECONDS
        await bring_to_today(there.env)  # also where it is already


async def test_cards_are_kept_while_the_page_is_open(tmp_path: Path) -> None:
    """Also after months of its clock: each hour of them was a look for servers that were left."""
    store = store_in(tmp_path)
    async with world(open_desk(store=store)) as there:
        await bring_to_today(there.env)
        await there.you.send(there.channel, "/vram team 2x 3090")
        await there.you.send(there.channel, "/vram team show")
        assert there.channel.guild is not None
        kept = await store.team_of(Owner(OwnerKind.GUILD, there.channel.guild.id))
        said = [message.content for message in there.channel.history()]
    await store.database.close()
    assert kept is not None
    assert kept.cards == (TeamCard("rtx-3090", 2),)
    assert all("RTX 3090" in text for text in said)
