"""The client in simcord, a simulated Discord by others: a second judge beside `tests/wire`.

It has its own idea of Discord's rules: what may be synced, which options an answer must
have, what fits in a message. No sockets are opened. What the bot raises fails the test.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest
import simcord
from discord.gateway import DiscordWebSocket

from bot.ask import Desk, Refused, Replied, open_desk
from bot.client import VramClient
from bot.pace import Pace
from bot.page import world
from bot.sections import DiscordSettings
from bot.store.chosen import store_in
from bot.surface.limits import MOST_CHOICES, MOST_QUERY
from bot.surface.private import sentence

PATIENCE_S = 120  # real seconds that a slow machine may take
SETTINGS = DiscordSettings(shard_count=1, gateway_url="ws://127.0.0.1:1/")  # nothing connects to it
COMMANDS = (
    "vram compare",
    "vram explain",
    "vram fit",
    "vram help",
    "vram infer",
    "vram learn",
    "vram measured",
    "vram oom",
    "vram status",
    "vram team",
    "vram train",
)
LINE = "7B adam lora"


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.fixture
async def env(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[simcord.Env]:
    """A Discord with the bot in one server."""
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    running = simcord.Env(
        VramClient(desk, SETTINGS, Pace(an_hour=100), 0)
    )  # its `run` does not end in a fixture
    await running.start()
    running.create_guild().create_text_channel("general")
    yield running
    await running.shutdown()
    running.raise_errors()


@pytest.fixture
def channel(env: simcord.Env) -> simcord.ChannelHandle:
    return env.guild.channels["general"]


@pytest.fixture
def alice(env: simcord.Env) -> simcord.MemberActor:
    return env.guild.add_member(env.create_user("alice"))


def shown(result: simcord.InteractionResult) -> simcord.ResponseMessage:
    """The one message that answers an interaction."""
    assert result.response is not None
    assert result.followups == []
    return result.response


def syncs(env: simcord.Env) -> int:
    return sum(one.method == "PUT" and one.path.endswith("/commands") for one in env.http_requests)


async def test_commands_are_there_in_a_server_and_in_private(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, env: simcord.Env
) -> None:
    assert alice.available_commands(channel) == COMMANDS
    assert env.create_user("bob").available_commands() == COMMANDS


async def test_commands_are_synced_only_where_they_differ(env: simcord.Env, desk: Desk) -> None:
    assert syncs(env) == 1
    await env.restart_bot(VramClient(desk, SETTINGS, Pace(an_hour=100), 0))
    assert syncs(env) == 1


@pytest.mark.parametrize("task", ["train", "infer"])
async def test_a_line_is_answered_for_everyone(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk, task: str
) -> None:
    message = shown(await alice.slash(channel, f"vram {task}", query="7B"))
    expected = desk.ask("7B", {"task": task})
    assert isinstance(expected, Replied)
    assert [embed.title for embed in message.embeds] == [expected.presentation.headline]
    assert not message.ephemeral


async def test_an_option_wins_over_the_line(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk
) -> None:
    message = shown(await alice.slash(channel, "vram train", query=LINE, batch=8, method="full"))
    expected = desk.ask(LINE, {"task": "train", "batch": 8, "method": "full"})
    assert isinstance(expected, Replied)
    assert message.embeds[0].title == expected.presentation.headline


async def test_an_error_is_for_the_asker_alone(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk
) -> None:
    message = shown(await alice.slash(channel, "vram train", query="zzzzzzz"))
    assert isinstance(desk.ask("zzzzzzz"), Refused)
    assert "zzzzzzz" in message.content
    assert message.ephemeral


async def test_it_answers_in_a_private_chat(env: simcord.Env) -> None:
    message = shown(await env.create_user("bob").slash("vram train", query=LINE))
    assert len(message.embeds) == 1


async def test_help_is_for_the_asker_alone(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk
) -> None:
    message = shown(await alice.slash(channel, "vram help"))
    assert message.embeds[0].title == desk.locale.help.title
    assert message.ephemeral


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("train", option) for option in ("query", "model", "optimizer", "gpus")),
        *(("infer", option) for option in ("query", "model", "precision", "gpus")),
        *(("compare", option) for option in ("query", "model", "gpus")),
    ],
)
async def test_what_is_listed_while_typing_fits(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, command: str, option: str
) -> None:
    filled = {} if option == "query" else {"query": LINE}
    for typed in ("", "a", "7B", "zzz\N{ROCKET}", "x" * 200):
        listed = await alice.autocomplete(channel, f"vram {command}", option, typed, **filled)
        assert len(listed) <= MOST_CHOICES
        assert all(1 <= len(str(part)) <= 100 for one in listed for part in one.values())


@pytest.mark.parametrize("sign", ["x", "7B ", "`", "\N{ROCKET}", "@everyone "])
async def test_the_longest_line_is_answered(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, sign: str
) -> None:
    query = (sign * MOST_QUERY)[:MOST_QUERY]
    message = shown(await alice.slash(channel, "vram train", query=query))
    assert message.content or message.embeds


async def test_a_longer_line_cannot_be_sent(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle
) -> None:
    with pytest.raises(simcord.OptionError, match="query"):
        await alice.slash(channel, "vram train", query="x" * (MOST_QUERY + 1))


async def test_a_press_on_an_old_button_is_answered(
    env: simcord.Env, alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk
) -> None:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Old", custom_id="v0:old"))
    await env.bot.get_partial_messageable(channel.id).send("from before", view=view)
    await env.restart_bot(VramClient(desk, SETTINGS, Pace(an_hour=100), 0))
    assert channel.last_message is not None
    message = shown(await alice.click(channel.last_message, custom_id="v0:old"))
    assert message.content == sentence(desk.locale, "no_longer", desk.examples[0])
    assert message.ephemeral


async def test_the_judge_refuses_what_is_too_long(
    env: simcord.Env, channel: simcord.ChannelHandle
) -> None:
    with pytest.raises(discord.HTTPException, match="2000"):
        await env.bot.get_partial_messageable(channel.id).send("x" * 2001)


async def test_cards_of_a_team_are_kept_by_who_may(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second judge of who may manage a server, and of answers that say whether it fits there."""
    monkeypatch.setattr("bot.store.store.SOON_S", 60)
    store = store_in(tmp_path)
    async with world(open_desk(store=store)) as there:
        refused = shown(await there.friend.slash(there.channel, "vram team", query="2x 3090"))
        kept = shown(await there.you.slash(there.channel, "vram team", query="2x 3090"))
        answer = shown(await there.friend.slash(there.channel, "vram train", query="13B lora"))
        asked = shown(await there.you.slash(there.channel, "vram team", query="forget everything"))
        await there.you.click(asked, custom_id="v1:forget")
        left = await store.guilds()
    await store.database.close()
    assert refused.ephemeral
    assert "Manage Server" in refused.content
    assert kept.content.startswith("**Your team's cards**, kept for this server.")
    assert answer.embeds[0].fields[0].value == "**yes**: on both of 2× RTX 3090 with FSDP"
    assert left == frozenset()
