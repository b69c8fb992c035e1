"""Presses in simcord, a simulated Discord by others: a second judge beside `tests/wire`."""

import asyncio

import discord
import simcord

from bot.ask import Desk
from bot.client import VramClient
from bot.pace import Pace
from tests.bot.test_simcord import LINE, SETTINGS, alice, channel, desk, env, shown

__all__ = ["alice", "channel", "desk", "env"]  # fixtures
HOW, SIZE = "v1:set:how", "v1:set:size"


def line_of(message: simcord.ResponseMessage) -> str:
    return str(message.embeds[0].fields[-1].value)


async def test_a_list_changes_the_answer_and_buttons_look_at_it(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle
) -> None:
    message = shown(await alice.slash(channel, "vram train", query=LINE))
    await alice.select(message, ["qlora"], custom_id=HOW)
    changed = channel.last_message
    assert changed is not None
    assert "qlora" in str(changed.embeds[0].fields[-1].value)
    maths = shown(await alice.click(changed, label="Show the maths"))
    assert maths.ephemeral
    compared = shown(await alice.click(changed, label="Compare"))
    assert compared.ephemeral
    copy = shown(await alice.click(changed, label="Private copy"))
    assert copy.ephemeral


async def test_another_person_gets_a_copy(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, env: simcord.Env
) -> None:
    message = shown(await alice.slash(channel, "vram train", query=LINE))
    bob = env.guild.add_member(env.create_user("bob"))
    copy = shown(await bob.select(message, ["bs 4"], custom_id=SIZE))
    assert copy.ephemeral
    assert "bs 4" in line_of(copy)


async def test_a_form_is_filled_in(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle
) -> None:
    message = shown(await alice.slash(channel, "vram train", query=LINE))
    form = await alice.click(message, label="Exact values…")
    await alice.submit_modal(form, {"batch": "3"})
    changed = channel.last_message
    assert changed is not None
    assert "bs 3" in str(changed.embeds[0].fields[-1].value)


async def test_after_a_restart_presses_are_answered(
    alice: simcord.MemberActor, channel: simcord.ChannelHandle, env: simcord.Env, desk: Desk
) -> None:
    message = shown(await alice.slash(channel, "vram train", query=LINE))
    await env.restart_bot(VramClient(desk, SETTINGS, Pace(an_hour=100), 0))
    await asyncio.sleep(0)
    await alice.select(message, ["bs 4"], custom_id=SIZE)
    changed = channel.last_message
    assert changed is not None
    assert isinstance(changed.embeds[0], discord.Embed)
    assert "bs 4" in str(changed.embeds[0].fields[-1].value)
