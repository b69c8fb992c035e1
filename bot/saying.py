"""A sheet, or what is wrong, said to an interaction; announced first where it takes a while."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from discord import ui

from bot import slash
from bot.announcing import announce
from bot.ask import Desk
from bot.delivery import deliver, deliver_later
from bot.presenting.numerals import written
from bot.presenting.presentation import Refusal
from bot.presenting.sheet import Sheet
from bot.presenting.spoken import spoken
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Panel
from bot.slash import Interaction, take_back
from bot.surface.limits import MOST_CONTENT, cut
from bot.surface.panel import view_of
from bot.surface.private import refusal_text
from bot.surface.sheet import sheet_embed

Parts = dict[str, Any]  # of a message, as discord.py names them
Said = Sheet | Refusal | Parts | str


async def say(
    interaction: Interaction,
    desk: Desk,
    coming: Coroutine[Any, Any, Said],
    what: str,
    *,
    private: bool = False,
) -> None:
    """A sheet for everyone to see, unless it is `private`; all else for the asker alone."""
    asking = asyncio.create_task(coming)
    try:
        done, _ = await asyncio.wait({asking}, timeout=slash.ANNOUNCED_S)
        if done:
            await _at_once(interaction, desk, asking.result(), what, private=private)
            return
        await announce(interaction, what, thinking=True, ephemeral=private)
        said = await asking
    finally:
        asking.cancel()
    parts = parts_of(said, desk)
    if isinstance(said, Sheet) or private:
        await deliver_later(lambda: interaction.edit_original_response(**parts), what)
    else:
        await take_back(interaction, desk, parts, what)


async def _at_once(
    interaction: Interaction, desk: Desk, said: Said, what: str, *, private: bool
) -> None:
    alone = private or not isinstance(said, Sheet)
    send, parts = interaction.response.send_message, parts_of(said, desk)
    await deliver(lambda: send(ephemeral=alone, **parts), what)


def parts_of(said: Said, desk: Desk) -> Parts:
    """What it is as a message; `view` only where there is one."""
    if isinstance(said, dict):
        return said
    if isinstance(said, Refusal):
        return {"content": refusal_text(spoken(said, desk.locale))}
    if isinstance(said, str):
        return {"content": cut(written(said, desk.locale.code), MOST_CONTENT)}
    embed, view = sheet_embed(spoken(said, desk.locale)), _view(said, desk)
    return {"embed": embed} if view is None else {"embed": embed, "view": view}


def _view(said: Sheet, desk: Desk) -> ui.View | None:
    """Where it says what to measure, a button to type it in."""
    if not said.asks:
        return None
    button = Button(id_of(Action.PEAK), desk.locale.press.buttons["peak"], main=True)
    return view_of(Panel(buttons=(button,)))
