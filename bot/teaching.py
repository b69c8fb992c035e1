"""A place in the walk as a message of Discord's: its embed, and its buttons."""

from typing import Any

from bot.ask import Desk
from bot.learning.place import Place
from bot.learning.teach import lesson
from bot.presenting.spoken import spoken
from bot.surface.lesson import lesson_embed
from bot.surface.panel import rows_of


def taught(desk: Desk, place: Place, before: Place | None = None) -> dict[str, Any]:
    """The parts of a message, as discord.py names them."""
    shown = spoken(lesson(place, before, desk.catalog, desk.locale), desk.locale)
    return {"embed": lesson_embed(shown), "view": rows_of(shown.rows)}
