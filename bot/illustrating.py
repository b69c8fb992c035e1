"""Answers and their pictures: drawn while an answer is on its way, or put on it afterwards.

An answer waits for its picture for a blink, and then goes without it. Such a picture comes by one
edit, if the message is still what was sent: not changed by a press, here or in another process,
not deleted, and with no picture on it.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import discord

from bot.ask import Answered, Desk
from bot.asking import own_desk
from bot.courtesy import Courtesy, Spread
from bot.delivery import PICTURE, deliver_later
from bot.locale import Locale
from bot.one_try import sound
from bot.ops.metrics import LATE_PICTURES
from bot.ops.threads import Threads
from bot.pictures.choosing import has_picture, picture_of
from bot.pictures.painter import Painter
from bot.pictures.vega import specification
from bot.presenting.spoken import spoken
from bot.remembering import Made
from bot.surface.illustrated import Image, changed
from estimator import Catalog

log = logging.getLogger(__name__)

IN_TIME_S = 0.15  # for which an answer waits for its picture
MOST_OVERTAKEN = 500  # messages that were changed, for as long as one may be on its way
MOST_AT_ONCE = 32  # answers whose picture is worked out, before it is drawn
MOST_DRAFTS = 64  # of pictures that were drawn lately, some 15 kB each
EDIT_EVERY_S = 0.1  # after some at once: two calls each, of the 50 a second that a bot has
WITHOUT_S = 600.0  # for which a channel that takes no files gets no pictures

_ASIDE = Threads(max_workers=1, thread_name_prefix="pictures")

Drawing = asyncio.Task[Image | None]
Fetch = Callable[[], Awaitable[discord.Message]]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What to draw for an answer, if anything, and that in words."""

    specification: str | None
    alt: str = ""


def _drafted(found: Answered, catalog: Catalog, locale: Locale) -> _Draft:
    picture = picture_of(found, catalog, locale)
    if picture is None:
        return _Draft(None)
    picture = spoken(picture, locale)
    return _Draft(specification(picture, locale.code), picture.alt)


class Illustrator:
    """Begins pictures of answers, and puts those that come late where they belong."""

    def __init__(self, painter: Painter | None) -> None:
        self._painter = painter
        self._begun: set[Drawing] = set()
        self._late: dict[int, asyncio.Task[None]] = {}  # by the message that they are for
        self._turn = 0
        self._overtaken: OrderedDict[int, int] = OrderedDict()  # messages, and in which turn
        self._spread = Spread(every_s=EDIT_EVERY_S)
        self._without = Courtesy(at_once=1, every_s=WITHOUT_S)  # channels, for a while
        self._drafts = Made[_Draft](MOST_DRAFTS)

    def begin(self, found: Answered, channel: int | None, desk: Desk) -> Drawing | None:
        """Begin to draw the picture of an answer in a channel; None where there will be none.

        `desk`: the one that answered, since it knows the language.
        """
        if self._painter is None or not self._painter.is_on:
            return None
        if len(self._begun) >= MOST_AT_ONCE or not has_picture(found):
            return None
        if channel is not None and self._without.rests(channel):
            return None
        drawing = asyncio.create_task(self._drawn(found, self._painter, desk))
        self._begun.add(drawing)
        drawing.add_done_callback(self._begun.discard)
        return drawing

    def takes_no_files(self, channel: int) -> None:
        """What is said in that channel goes without pictures for a while."""
        log.info("a channel takes no files: no pictures there for %d s", WITHOUT_S)
        self._without.take(channel)

    def turn(self) -> int:
        """A number for what is about to be sent: what changes messages later has a higher one."""
        self._turn += 1
        return self._turn

    def late(
        self, sent: discord.Message, drawing: Drawing, embed: discord.Embed, fetch: Fetch, turn: int
    ) -> None:
        """Put a picture on a message that was sent without it in that turn, once it is there."""
        if self._overtaken.get(sent.id, 0) > turn:
            return
        task = asyncio.create_task(self._put(sent, drawing, embed, fetch))
        self._late[sent.id] = task
        task.add_done_callback(lambda _: self._forget(sent.id, task))

    async def overtaken(self, message: int) -> int:
        """A message is about to change: what was to be put on it is not, or already stands.

        The change's own turn.
        """
        turn = self._overtaken[message] = self.turn()
        self._overtaken.move_to_end(message)
        while len(self._overtaken) > MOST_OVERTAKEN:
            self._overtaken.popitem(last=False)
        task = self._late.get(message)
        if task is None:
            return turn
        if task.get_name() != PICTURE:  # it is not on its way yet
            task.cancel()
        await asyncio.wait({task})
        return turn

    async def close(self) -> None:
        """Let go of what is not there yet."""
        tasks = {*self._begun, *self._late.values()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _drawn(self, found: Answered, painter: Painter, desk: Desk) -> Image | None:
        """The picture; None where none can be drawn, whatever the reason."""
        try:
            draft = await self._draft(found, desk)
            if draft.specification is None:
                return None
            drawn = painter.paint(draft.specification)
            await asyncio.wait({drawn})
            png = drawn.result()
        except Exception:  # an answer goes out all the same
            log.exception("an answer's picture failed")
            return None
        return None if png is None else Image(png, draft.alt)

    async def _draft(self, found: Answered, desk: Desk) -> "_Draft":
        """What is to be drawn; the same again for an answer that is given again."""
        draft = self._drafts.recall(found)
        if draft is None:
            desk = await own_desk(desk, found)
            loop = asyncio.get_running_loop()
            draft = await loop.run_in_executor(_ASIDE, _drafted, found, desk.catalog, desk.locale)
            self._drafts.keep(found, draft)
        return draft

    async def _put(
        self, sent: discord.Message, drawing: Drawing, embed: discord.Embed, fetch: Fetch
    ) -> None:
        await asyncio.wait({drawing})
        image = None if drawing.cancelled() else drawing.result()
        if image is None:
            return
        task = asyncio.current_task()
        if task is not None:
            task.set_name(PICTURE)  # from here on an end of the bot waits for it

        await asyncio.sleep(self._spread.wait_s())

        async def edit() -> None:
            try:
                message = await sound(fetch())
            except (discord.NotFound, discord.Forbidden) as error:
                log.info("no picture on a message that cannot be seen: code %d", error.code)
                return
            if not is_unchanged(message, sent.edited_at):
                return
            try:
                await sound(message.edit(**changed({"embed": embed}, image)))
                LATE_PICTURES.add()
            except discord.NotFound:
                log.info("a message was deleted before its picture")
            except discord.Forbidden:
                self.takes_no_files(sent.channel.id)

        await deliver_later(edit, "a picture")

    def _forget(self, message: int, task: asyncio.Task[None]) -> None:
        if self._late.get(message) is task:
            del self._late[message]


def illustrator_of(client: discord.Client) -> Illustrator | None:
    """Who draws for a client; not every one has pictures."""
    found = getattr(client, "illustrator", None)
    return found if isinstance(found, Illustrator) else None


async def in_time(drawing: Drawing | None) -> Image | None:
    """The picture, if it comes in a blink."""
    if drawing is None:
        return None
    done, _ = await asyncio.wait({drawing}, timeout=IN_TIME_S)
    return drawing.result() if done else None


def is_unchanged(message: discord.Message, edited_at: datetime | None) -> bool:
    """Whether a message is as it was sent, and has no picture."""
    return message.edited_at == edited_at and not message.attachments
