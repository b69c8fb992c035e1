"""A step of the walk as an embed: its number, what moved, one idea, and bars."""

import discord

from bot.learning.lesson import Lesson
from bot.presenting.explanation import Cited
from bot.surface.embed import COMMAND
from bot.surface.limits import FENCE, MOST_DESCRIPTION, MOST_FIELD, MOST_TITLE, cut, fit

MOST_SOURCE = 160  # characters of a source's title


def lesson_embed(shown: Lesson) -> discord.Embed:
    """The whole of it; its last field is the line that asks for the same."""
    moved = f"**{discord.utils.escape_markdown(shown.moved)}**" if shown.moved else ""
    parts = [moved, shown.text, f"`{shown.sum}`", "\n".join([FENCE, *shown.bars, FENCE])]
    parts += [_cited(shown.source)] if shown.source else []
    embed = discord.Embed(
        title=cut(shown.title, MOST_TITLE),
        description=fit(filter(None, parts), MOST_DESCRIPTION),
        colour=discord.Colour.blurple(),
    )
    if shown.further:
        said = fit((f"- {one}" for one in shown.further), MOST_FIELD)
        embed.add_field(name=shown.further_heading, value=said, inline=False)
    line = cut(f"`{COMMAND} {shown.line}`", MOST_FIELD)
    embed.add_field(name=shown.line_heading, value=line, inline=False)
    return embed.set_footer(text=shown.foot)


def _cited(source: Cited) -> str:
    return f"[{discord.utils.escape_markdown(cut(source.title, MOST_SOURCE))}](<{source.link}>)"
