"""`/vram status`: how the bot is, for whoever runs it, and for nobody else."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import discord
from discord import app_commands

from bot.ask import Desk
from bot.config import Settings
from bot.desks import desk_for
from bot.ops.answering import Outcome, mark
from bot.ops.exposition import Vitals
from bot.ops.state import state_of
from bot.slash import Interaction, alone
from bot.surface.limits import MOST_CONTENT, cut

NAME = "status"
WHAT = f"/vram {NAME}"


@runtime_checkable
class Overseen(Protocol):
    """A client that can say how it is."""

    settings_now: Callable[[], Settings]

    def vitals(self) -> Vitals:
        """How it is."""


def command(desk: Desk) -> app_commands.Command[discord.app_commands.Group, ..., None]:
    """The subcommand; Discord lists it for all, so others are told whom it is for."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    async def status(interaction: Interaction) -> None:
        locale = (await desk_for(desk, interaction)).locale
        client = interaction.client
        if not isinstance(client, Overseen) or not _may(interaction, client.settings_now()):
            mark(Outcome.REFUSED)
            await alone(interaction, locale.say_on_discord("status_not_operator"), WHAT)
            return
        text = state_of(client.settings_now(), client.vitals(), locale)
        await alone(interaction, cut(text, MOST_CONTENT), WHAT)

    return status


def _may(interaction: Interaction, settings: Settings) -> bool:
    """Whether who asks runs the bot: the application's owner or team, or one whom settings name."""
    asker = interaction.user.id
    if asker in settings.discord.operators:
        return True
    application = interaction.client.application
    if application is None:
        return False
    if application.team is not None:
        return any(member.id == asker and _accepted(member) for member in application.team.members)
    return application.owner.id == asker


def _accepted(member: discord.TeamMember) -> bool:
    """Who was only invited to a team is not of it yet."""
    return member.membership_state is discord.TeamMembershipState.accepted
