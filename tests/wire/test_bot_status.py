"""`/vram status` over sockets: for whoever runs the bot, privately, and for nobody else."""

import pytest

from bot.config import Settings
from bot.sections import DiscordSettings, LogLevel, LogSettings
from tests.wire.our_bot import QUERY, ready
from tests.wire.people import Person
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

STATUS = "vram status"
OWNER = "1"  # the owner of the stand-in's application
TOKEN = "MTIz.abc.def"


def somebody(number: str, locale: str = "en-US") -> Person:
    """A person with that id."""
    return Person("boss", locale, id=number)


async def test_the_owner_is_told_privately(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ready(standin) as running:
        await standin.slash("vram train", QUERY)
        monkeypatch.setattr("bot.commands.help.help_embed", lambda *_: 1 / 0)
        failed = await standin.slash("vram help")
        reply = await standin.slash(STATUS, by=somebody(OWNER))
        assert running.client.settings_now() == Settings()
    assert reply.ephemeral
    assert "**Version** 0.1.0 · discord.py 2." in reply.content
    assert "**Shards** 1 of 1 ready" in reply.content
    assert "**Last hour** answered " in reply.content
    assert "**Time to answer** half within " in reply.content
    assert "**Memory** the bot " in reply.content
    assert "**Store** SQLite" in reply.content
    assert "**Settings** all of them are the defaults" in reply.content
    number = failed.content.partition("noted as `")[2][:8]
    assert f"`{number}` ZeroDivisionError <t:" in reply.content


async def test_others_are_told_whom_it_is_for(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash(STATUS)
        spoken = await standin.slash(STATUS, by=standin.person("bea", "de"))
    for one in (reply, spoken):
        assert one.ephemeral
        assert "Version" not in one.content
    assert reply.content.startswith("`/vram status` is for whoever runs this bot")
    assert "Betreiber" in spoken.content


async def test_whom_the_settings_name_is_told_and_no_secret_is_in_it(standin: StandIn) -> None:
    settings = Settings(
        discord=DiscordSettings.model_validate({"token": TOKEN, "operators": [77]}),
        log=LogSettings(level=LogLevel.DEBUG),
    )
    async with ready(standin) as running:
        running.client.settings_now = lambda: settings
        reply = await standin.slash(STATUS, by=somebody("77", "fr"))
        running.client.settings_now = Settings
        after = await standin.slash(STATUS, by=somebody("77"))
    assert "`[log] level = debug`" in reply.content
    assert "`[discord] operators = 77`" in reply.content
    assert "**Mémoire**" in reply.content
    assert TOKEN not in reply.content
    assert "is for whoever runs this bot" in after.content


@pytest.mark.parametrize(("state", "told"), [(2, True), (1, False)])
async def test_of_a_team_its_members_are_told_and_not_who_is_invited(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, state: int, *, told: bool
) -> None:
    application = standin.world.bot.application()
    user = {"id": "55", "username": "cleo", "discriminator": "0", "avatar": None}
    member = {"user": user, "team_id": "9", "membership_state": state, "role": "developer"}
    team = {"id": "9", "icon": None, "name": "us", "owner_user_id": "1", "members": [member]}
    monkeypatch.setattr(
        type(standin.world.bot), "application", lambda _self: {**application, "team": team}
    )
    async with ready(standin):
        reply = await standin.slash(STATUS, by=somebody("55"))
        owner = await standin.slash(STATUS, by=somebody("1"))
    assert ("**Version**" in reply.content) is told
    assert "**Version**" not in owner.content
