"""`/vram help`: what can be asked, what an answer says, and how sure it is."""

from typing import Any

import discord
from discord import app_commands

from bot.ask import Desk
from bot.delivery import deliver
from bot.desks import desk_for
from bot.presenting.record import said_record
from bot.record import load_record
from bot.slash import Interaction
from bot.surface.limits import MOST_FIELD, cut, pages

NAME = "help"
MENTIONED = ("train", "infer", "fit", "compare", "oom", "explain", "learn", "measured", "team")


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; only the asker sees its answer."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    async def help_(interaction: Interaction) -> None:
        embed = help_embed(await desk_for(desk, interaction), _id_of(interaction))
        respond = interaction.response.send_message
        await deliver(lambda: respond(embed=embed, ephemeral=True), f"/vram {NAME}")

    return help_


def help_embed(desk: Desk, command_id: str) -> discord.Embed:
    """The help page; a press on a command in it puts that into the person's message box."""
    page = desk.locale.help
    mentions = {name: f"</vram {name}:{command_id}>" for name in MENTIONED}
    embed = discord.Embed(
        title=page.title, description=page.opening, colour=discord.Colour.blurple()
    )
    for section in page.sections.values():
        said = cut(section.text.strip().format(**mentions), MOST_FIELD)
        embed.add_field(name=section.heading, value=said, inline=False)
    lines = said_record(load_record(), desk.locale).splitlines()
    for said in pages(lines, MOST_FIELD):
        embed.add_field(name=page.right, value=said, inline=False)
    return embed


def _id_of(interaction: Interaction) -> str:
    """The id of `/vram`, which Discord sends along with each use of it."""
    data: Any = interaction.data
    return str(data["id"])
