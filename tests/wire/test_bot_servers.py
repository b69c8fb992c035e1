"""Of the servers that the bot is in it knows its own and their language, and nothing else."""

import discord
import pytest

from tests.wire.our_bot import ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_little_of_a_server_is_held(standin: StandIn) -> None:
    async with ready(standin) as running:
        await standin.slash("vram help")
        (server,) = running.client.guilds
        assert server.id == int(standin.guild_id)
        assert server.preferred_locale is discord.Locale.american_english
        assert not server.channels
        assert not server.roles
        assert all(one.id == running.client.application_id for one in server.members)


async def test_its_language_is_followed_and_nothing_else(standin: StandIn) -> None:
    channel = {"id": "7", "type": 0, "guild_id": standin.guild_id, "name": "new", "position": 1}
    async with ready(standin) as running:
        await standin.dispatch("CHANNEL_CREATE", channel)
        await standin.dispatch("GUILD_UPDATE", {"id": standin.guild_id, "preferred_locale": "de"})
        asked = await standin.write("@bot train 7B adam lora")
        answer = await standin.answer_to(asked, timeout=60)
        (server,) = running.client.guilds
        assert not server.channels
        assert server.preferred_locale is discord.Locale.german
    assert str(answer.stored["embeds"][0]["title"]).startswith("15,7 GiB (16,9 GB): knapp")


async def test_a_server_that_it_joins_is_known(standin: StandIn) -> None:
    joined = {"id": "77", "name": "another", "preferred_locale": "fr", "unavailable": None}
    async with ready(standin) as running:
        await standin.dispatch("GUILD_CREATE", {**joined, "channels": [{"id": "8", "type": 0}]})
        await standin.slash("vram help")
        assert {one.id for one in running.client.guilds} == {77, int(standin.guild_id)}
        await standin.dispatch("GUILD_DELETE", {"id": "77"})
        await standin.slash("vram help")
        assert {one.id for one in running.client.guilds} == {int(standin.guild_id)}
