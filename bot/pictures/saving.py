"""The picture of an answer as a file, drawn here and now; for whoever shows it elsewhere."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.ask import Desk
from bot.asking import known, looked_up, own_desk
from bot.pictures.choosing import picture_of
from bot.pictures.drawing import draw
from bot.pictures.vega import specification
from bot.presenting.spoken import spoken
from bot.replies import Answered, Refused
from estimator import Catalog


@dataclass(frozen=True, slots=True)
class Saved:
    """Whether there is a file now; what it shows, or why there is none."""

    saved: bool
    words: str


def save(desk: Desk, line: str, file: Path) -> Saved:
    """Write the picture of the answer to `line`."""
    found, catalog = asyncio.run(_answered(desk, line))
    if isinstance(found, Refused):
        return Saved(saved=False, words=found.refusal.wrong)
    picture = picture_of(found, catalog, desk.locale)
    if picture is None:
        return Saved(saved=False, words=desk.locale.pictures.sentences["none"])
    try:
        file.write_bytes(draw(specification(spoken(picture, desk.locale), desk.locale.code)))
    except (OSError, ValueError):  # ValueError: a path that no file can have
        return Saved(saved=False, words=desk.locale.pictures.sentences["unwritten"])
    return Saved(saved=True, words=picture.alt)


async def _answered(desk: Desk, line: str) -> tuple[Answered, Catalog]:
    """The answer, and the tables that know its model."""
    found, unknown = await known(desk, line)
    if unknown:
        found = await looked_up(desk, found, line)
    return found, (await own_desk(desk, found)).catalog
