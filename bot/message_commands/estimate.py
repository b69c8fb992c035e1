"""`Estimate this`: what somebody wrote, answered as if it had been typed behind `/vram`."""

import discord
from discord import app_commands

from bot.ask import Desk
from bot.message_commands import everywhere
from bot.reading.changing import CHANGES
from bot.reading.clean import clean
from bot.slash import Interaction, alone, respond
from bot.surface.again import asked_before
from bot.surface.message_text import has_files, replied_to, text_of

NAME = "estimate"


def command(desk: Desk) -> app_commands.ContextMenu:
    """The command; the task is what the words say."""

    async def estimate(interaction: Interaction, message: discord.Message) -> None:
        own = interaction.client.user
        again = asked_before(message, own)
        text = again[0] if again else text_of(message)
        if not clean(text):
            key = "no_files" if has_files(message) else "no_words"
            await alone(interaction, desk.locale.say_on_discord(key), desk.locale.menus[NAME])
            return
        lines = () if again else asked_before(replied_to(message), own)
        options = {CHANGES: "\n".join(lines)} if lines else {}
        await respond(interaction, desk, desk.locale.menus[NAME], text, options)

    return everywhere(desk.locale.menus[NAME], estimate)
