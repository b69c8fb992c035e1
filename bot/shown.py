"""An answer as a message of Discord's: its embed, and what can be pressed under it."""

from typing import Any

import discord
from discord import ui

from bot.ask import Answered
from bot.locale import Locale
from bot.presenting.spoken import spoken
from bot.presses.panel import Panel
from bot.presses.panels import panel_of
from bot.remembering import Made
from bot.replies import Refused
from bot.surface.again import lines_offered
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_EMBED
from bot.surface.panel import view_of
from bot.surface.private import refusal_text

MOST = 64  # embeds with what can be pressed below them, about 40 kB each

_LATELY = Made[tuple[discord.Embed, ui.View | None]](MOST)


def shown(locale: Locale, found: Answered, *, private: bool, pressed: str = "") -> dict[str, Any]:
    """The parts of a message, as discord.py names them; `view` only where there is one.

    `private`: nobody else sees it, nor what a refusal, which nobody else ever sees, leads to.
    `pressed`: the words of the option that led to it.
    """
    if isinstance(found, Refused):
        text = refusal_text(spoken(found.refusal, locale))
        below = view_below_refusal(locale, found, text, private=private)
        return {"content": text} if below is None else {"content": text, "view": below}
    how = (locale.code, private, pressed)
    kept = _LATELY.recall(found, *how)
    if kept is None:
        embed = embed_of(spoken(found.shown, locale))
        panel = _panel_below(locale, found, embed, private=private, pressed=pressed)
        kept = _LATELY.keep(found, (embed, view_of(panel)), *how)
    embed, view = kept
    return {"embed": _again(embed)} | ({} if view is None else {"view": view})


def _again(embed: discord.Embed) -> discord.Embed:
    """The same, in which anything can be changed; discord.py's own copy shares its fields."""
    said = embed.to_dict()
    if fields := said.get("fields"):
        said["fields"] = [field.copy() for field in fields]
    return discord.Embed.from_dict(said)


def view_below_refusal(
    locale: Locale, found: Refused, text: str, *, private: bool = False
) -> ui.View | None:
    """The lines that the `text` of a refusal offers, as presses."""
    return view_of(panel_of(found, locale, lines_offered(text, []), private=private))


def _panel_below(
    locale: Locale, found: Answered, embed: discord.Embed, *, private: bool, pressed: str = ""
) -> Panel:
    lines = lines_offered("", [embed])
    panel = panel_of(found, locale, lines, private=private, pressed=pressed)
    if panel.note:
        _note_below(embed, panel.note)
    return panel


def _note_below(embed: discord.Embed, note: str) -> None:
    """Add a note at its end; the field before its last gives way where there is no room."""
    while len(embed) + len(note) > MOST_EMBED and len(embed.fields) > 1:
        embed.remove_field(len(embed.fields) - 2)
    embed.set_footer(text=note)
