"""The list of all topics as an embed: a field for each group."""

import discord
from discord.utils import escape_markdown

from bot.presenting.explanation import Contents
from bot.surface.limits import MOST_DESCRIPTION, MOST_FIELD, MOST_TITLE, cut, pages

ITEM = "- "


def contents_embed(shown: Contents) -> discord.Embed:
    """The titles of each group; below it is where one of them is chosen."""
    embed = discord.Embed(
        title=cut(shown.title, MOST_TITLE),
        description=cut(shown.opening, MOST_DESCRIPTION),
        colour=discord.Colour.blurple(),
    )
    for chapter in shown.chapters:
        items = (f"{ITEM}{escape_markdown(one.title)}" for one in chapter.topics)
        for titles in pages(items, MOST_FIELD):
            embed.add_field(name=chapter.title, value=titles, inline=False)
    return embed
