"""Messages to the client in simcord, the second judge: mentions, replies, private ones, menus."""

from collections.abc import AsyncIterator

import pytest
import simcord
from discord.gateway import DiscordWebSocket

from bot.ask import Desk, open_desk
from bot.client import VramClient
from bot.pace import Pace
from bot.sections import DiscordSettings

SETTINGS = DiscordSettings(shard_count=1, gateway_url="ws://127.0.0.1:1/")  # nothing connects to it
QUESTION = "train 7B adam lora"


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.fixture
async def env(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[simcord.Env]:
    """A Discord with the bot in one server."""
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    running = simcord.Env(VramClient(desk, SETTINGS, Pace(an_hour=100), 0))
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


def last_line(channel: simcord.ChannelHandle) -> str:
    """The line of the newest answer that asks for it again."""
    message = channel.last_message
    assert message is not None
    return str(message.embeds[0].fields[-1].value)


async def test_a_mention_is_answered_and_a_reply_changes_it(
    env: simcord.Env, alice: simcord.MemberActor, channel: simcord.ChannelHandle
) -> None:
    assert env.bot.user is not None
    await alice.send(channel, f"{env.bot.user.mention} {QUESTION}")
    assert last_line(channel) == "`/vram train 7B lora adamw`"
    answer = channel.last_message
    await alice.send(channel, f"{env.bot.user.mention} with qlora", reply_to=answer)
    assert last_line(channel) == "`/vram train 7B qlora adamw`"


async def test_what_mentions_nobody_is_left_alone(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle
) -> None:
    sent = await alice.send(channel, QUESTION)
    assert channel.last_message is not None
    assert channel.last_message.id == sent.id


async def test_a_message_is_estimated_from_its_menu(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, desk: Desk
) -> None:
    target = await alice.send(channel, QUESTION)
    name = desk.locale.menus["estimate"]
    result = await alice.context_menu(channel, name, target)
    assert result.response is not None
    assert result.response.embeds[0].fields[-1].value == "`/vram train 7B lora adamw`"
