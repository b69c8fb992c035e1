"""`Estimate this`: what somebody wrote, answered as if it had been typed behind `/vram`."""

import discord
from discord import app_commands

from bot.ask import Desk
from bot.desks import desk_for
from bot.message_commands import everywhere
from bot.reading.changing import CHANGES
from bot.reading.clean import clean
from bot.slash import Interaction, alone, respond
from bot.surface.again import asked_before
from bot.surface.message_text import has_files, replied_to, text_of

NAME = "estimate"


def command(desk: Desk) -> app_commands.ContextMenu:
    """The command; the task is what the words say."""
    what = desk.locale.menus[NAME]

    async def estimate(interaction: Interaction, message: discord.Message) -> None:
        own, asked = interaction.client.user, await desk_for(desk, interaction)
        again = asked_before(message, own)
        text = again[0] if again else text_of(message)
        if not clean(text):
            key = "no_files" if has_files(message) else "no_words"
            await alone(interaction, asked.locale.say_on_discord(key), what)
            return
        lines = () if again else asked_before(replied_to(message), own)
        options = {CHANGES: "\n".join(lines)} if lines else {}
        await respond(interaction, asked, what, text, options)

    return everywhere(what, estimate)
