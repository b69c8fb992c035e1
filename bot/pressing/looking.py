"""Presses that only look at an answer, or lead to another: a private reply, the answer stays."""

from collections.abc import Callable
from typing import Any

from bot.ask import Desk
from bot.delivery import deliver
from bot.presenting.maths import maths_of
from bot.presenting.spoken import spoken
from bot.presses.neighbours import neighbours_of
from bot.presses.panels import ALL
from bot.pressing.asking import plain
from bot.pressing.lines import lines_of, no_line
from bot.reading.changing import CHANGES
from bot.slash import Interaction, alone, respond
from bot.surface.again import lines_offered
from bot.surface.asker import is_own
from bot.surface.maths import maths_pages, page_panel
from bot.surface.panel import panel_in, view_of, without_copy


class Looking:
    """Answers one such press, by a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def maths(self, interaction: Interaction, page: str, what: str) -> None:
        """The arithmetic of an answer; a page of it is turned in its place."""
        lines = await lines_of(self._desk, interaction, what)
        if not lines:
            return
        line = lines[0]
        desk, found = await plain(self._desk, line)
        if found is None:
            await no_line(self._desk, interaction, what)
            return
        locale = desk.locale
        worked = maths_of(found.answer, line, desk.catalog, locale)
        pages = maths_pages(spoken(worked, locale), locale)
        number = min(max(1, int(page)), len(pages)) if page.isdecimal() else 1
        embed, view = pages[number - 1], view_of(page_panel(number, len(pages), locale))
        if page:
            edit = interaction.response.edit_message
            await deliver(lambda: edit(embed=embed, view=view), what)
        else:
            await self._privately(interaction, {"embed": embed, "view": view}, what)

    async def compare(self, interaction: Interaction, what: str) -> None:
        """The answer beside its neighbours."""
        lines = await lines_of(self._desk, interaction, what)
        if not lines:
            return
        line = lines[0]
        desk, found = await plain(self._desk, line)
        words = "" if found is None else neighbours_of(desk, found)
        if not words:
            await alone(interaction, self._desk.locale.say_on_discord("alone"), what)
            return
        await respond(interaction, desk, what, words, {CHANGES: line}, private=True)

    async def open(self, interaction: Interaction, chosen: str, whose: str, what: str) -> None:
        """The answer to one of the lines that a message offers.

        It is for all to see if that is `whose`, and the message one's own.
        """
        message = interaction.message
        lines = () if message is None else lines_offered(message.content, message.embeds)
        if not chosen.isdecimal() or int(chosen) >= len(lines):
            await no_line(self._desk, interaction, what)
            return
        private = whose != ALL or not await is_own(interaction)
        await respond(interaction, self._desk, what, lines[int(chosen)], {}, private=private)

    async def copy(self, interaction: Interaction, what: str) -> None:
        """The same message, for who pressed alone; that one is theirs to change."""
        message = interaction.message
        if message is None:
            await no_line(self._desk, interaction, what)
            return
        view = view_of(without_copy(panel_in(message)))
        parts: dict[str, Any] = {"content": message.content, "embeds": message.embeds, "view": view}
        await self._privately(interaction, parts, what)

    @staticmethod
    async def _privately(interaction: Interaction, parts: dict[str, Any], what: str) -> None:
        kept = {name: part for name, part in parts.items() if part}
        send: Callable[..., Any] = interaction.response.send_message
        await deliver(lambda: send(ephemeral=True, **kept), what)
