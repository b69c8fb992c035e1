"""The arithmetic of an answer as pages, each an embed that a phone shows without end."""

from collections.abc import Iterator

import discord

from bot.locale import Locale
from bot.presenting.explanation import Cited
from bot.presenting.worked import Maths, Worked
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Panel
from bot.surface.embed import COMMAND
from bot.surface.limits import MOST_FIELD, MOST_TITLE, cut, fit

PAGE = 2400  # characters of fields; some three screens of a phone
MOST_FIELDS = 7  # of a page
MOST_FORMULA = 300  # characters; and of the same in numbers
MOST_SOURCE = 120  # characters of a source's title

Field = tuple[str, str]


def maths_pages(maths: Maths, locale: Locale) -> list[discord.Embed]:
    """All pages; each ends in the line that the arithmetic is of."""
    pages = [*_pages(_fields(maths))]
    embeds = []
    for number, fields in enumerate(pages, 1):
        said = locale.press.sentences["maths_title"].format(page=number, pages=len(pages))
        embed = discord.Embed(
            title=cut(said, MOST_TITLE),
            description=discord.utils.escape_markdown(maths.opening) if number == 1 else None,
            colour=discord.Colour.blurple(),
        )
        for heading, text in fields:
            embed.add_field(name=cut(heading, MOST_TITLE), value=text, inline=False)
        again = cut(f"`{COMMAND} {maths.line}`", MOST_FIELD)
        embed.add_field(name=locale.reply.headings["again"], value=again, inline=False)
        embeds.append(embed)
    return embeds


def page_panel(page: int, pages: int, locale: Locale) -> Panel:
    """Buttons to the pages beside `page`, which counts from 1."""
    words = locale.press.buttons
    back = [Button(id_of(Action.MATHS, str(page - 1)), words["earlier"])] if page > 1 else []
    on = [Button(id_of(Action.MATHS, str(page + 1)), words["later"], main=True)]
    return Panel(buttons=(*back, *(on if page < pages else ())))


def _fields(maths: Maths) -> Iterator[Field]:
    yield from (_field(one) for one in maths.lines)
    yield maths.moments_heading, fit((f"- {one}" for one in maths.moments), MOST_FIELD)
    for number, one in enumerate(maths.rules):
        heading, text = _field(one)
        yield (f"{maths.rules_heading}: {heading}" if number == 0 else heading), text


def _field(one: Worked) -> Field:
    """The formula, the same in numbers, what is said of it, and the source."""
    parts = [f"`{cut(text, MOST_FORMULA)}`" for text in (one.formula, one.numbers) if text]
    said = discord.utils.escape_markdown(one.said)
    parts += [said] if said else []
    parts += [_source(one.source)] if one.source else []
    return f"{one.name}: {one.amount}", fit(parts, MOST_FIELD)


def _source(source: Cited) -> str:
    title = discord.utils.escape_markdown(cut(source.title, MOST_SOURCE))
    return f"{title}, [{source.id}](<{source.link}>)" if source.link else title


def _pages(fields: Iterator[Field]) -> Iterator[list[Field]]:
    page: list[Field] = []
    for field in fields:
        used = sum(len(heading) + len(text) for heading, text in page)
        if page and (used + len(field[0]) + len(field[1]) > PAGE or len(page) == MOST_FIELDS):
            yield page
            page = []
        page.append(field)
    if page:
        yield page
