"""A sheet as an embed: the verdict is its title, code stands in blocks, the line comes last."""

import discord

from bot.presenting.sheet import Section, Sheet
from bot.surface.embed import COLOURS, COMMAND
from bot.surface.limits import FENCE, MOST_DESCRIPTION, MOST_EMBED, MOST_FIELD, MOST_TITLE, cut, fit


def sheet_embed(shown: Sheet) -> discord.Embed:
    """Cut to Discord's limits: the last sections give way first, and the line never does."""
    title = f"**{discord.utils.escape_markdown(shown.title)}**" if shown.title else ""
    embed = discord.Embed(
        title=cut(shown.headline, MOST_TITLE),
        description=fit([*filter(None, (title, *shown.details))], MOST_DESCRIPTION) or None,
        colour=COLOURS[shown.tone],
    )
    line = cut(f"`{COMMAND} {shown.line}`", MOST_FIELD) if shown.line else ""
    room = MOST_EMBED - len(embed) - len(shown.line_heading) - len(line)
    for section in shown.sections:
        text = _text(section)
        room -= len(section.heading) + len(text)
        if room >= 0:
            embed.add_field(name=section.heading, value=text, inline=False)
    if line:
        embed.add_field(name=shown.line_heading, value=line, inline=False)
    return embed


def _text(section: Section) -> str:
    """What stands in a block whole, and as much of the text as goes in with it."""
    inside = section.code or "\n".join(section.rows)
    if not inside:
        return cut(section.text, MOST_FIELD)
    block = f"{FENCE}{section.language}\n{inside}\n{FENCE}"
    if not section.text:
        return block
    return f"{cut(section.text, MOST_FIELD - len(block) - 1)}\n{block}"
