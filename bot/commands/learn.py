"""`/vram learn`: a walk of seven steps from the rule of thumb to a real run."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.delivery import deliver
from bot.desks import desk_for
from bot.learning.place import START
from bot.slash import Flag, Interaction
from bot.teaching import taught

NAME = "learn"


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; only the asker sees the walk, unless they say otherwise."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    async def learn(interaction: Interaction, private: Flag = None) -> None:
        parts = taught(await desk_for(desk, interaction), START)
        respond = interaction.response.send_message
        hidden = private is not False
        await deliver(lambda: respond(ephemeral=hidden, **parts), f"/vram {NAME}")

    return learn
