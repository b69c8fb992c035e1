"""`Explain this OOM`: why memory ran out, from the message that somebody pasted."""

import discord
from discord import app_commands

from bot.ask import Desk
from bot.desks import desk_for
from bot.diagnosing import OOM, SETTINGS
from bot.message_commands import everywhere
from bot.reading.options import COMMAND
from bot.slash import Interaction, alone, respond
from bot.surface.again import asked_before
from bot.surface.message_text import has_files, replied_to, text_of

NAME = "explain_oom"


def command(desk: Desk) -> app_commands.ContextMenu:
    """The command; where the message replies to an answer, that says what ran."""
    name = desk.locale.menus[NAME]

    async def explain_oom(interaction: Interaction, message: discord.Message) -> None:
        asked = await desk_for(desk, interaction)
        text = text_of(message)
        if not text.strip() and has_files(message):
            await alone(interaction, asked.locale.say_on_discord("no_files"), name)
            return
        before = asked_before(replied_to(message), interaction.client.user)
        options = {COMMAND: OOM, SETTINGS: before[0] if before else ""}
        await respond(interaction, asked, name, text, options)

    return everywhere(name, explain_oom)
