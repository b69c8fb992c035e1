"""Replies as a phone shows them: asked for in the bot's simulated Discord, photographed there.

Discord's own client is not to be had here. The page of `python -m bot try` draws what the bot
sent as that client does, and `photo.css` gives it the light colours that it lacks.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path

import simcord
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.async_api import Locator, Page, ViewportSize, expect

from bot.ask import open_desk
from bot.asking import warmed
from bot.page import World, drawing, page, world
from tests.browser.chromium import chromium
from tests.golden.replies import Typed

WIDTH = 390  # of a phone, in CSS pixels
PHONE: ViewportSize = {"width": WIDTH, "height": 6000}  # longer than any reply
SCALE = 2  # device pixels to one of CSS, as phones have or more
COMMON, OTHERS = 32, 96  # colours of a picture's palette
MILLISECONDS = 60_000  # that the browser may take for one thing
STYLE = Path(__file__).with_suffix(".css")
DRESS = "light => document.documentElement.classList.toggle('light', light)"


class Scheme(StrEnum):
    """What Discord's client is set to."""

    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True, slots=True)
class Album:
    """The open page, and the id of each reply's message on it."""

    shown: Page
    ids: Mapping[str, int]

    def message(self, name: str) -> Locator:
        """Where the reply stands on the page."""
        return self.shown.locator(f'.channel-message[data-message-id="{self.ids[name]}"]')

    async def picture(self, name: str, scheme: Scheme, notes: Mapping[str, str]) -> bytes:
        """The PNG of one reply; `notes` are kept in it."""
        await self.shown.evaluate(DRESS, scheme is Scheme.LIGHT)
        return _small(await self.message(name).screenshot(animations="disabled"), notes)


@asynccontextmanager
async def album(asked: Mapping[str, Typed]) -> AsyncIterator[Album]:
    """All of them are asked, one after the other, and lie open in a browser.

    Raises BrowserError where there is none.
    """
    async with (
        drawing() as painter,
        world(warmed(open_desk()), painter) as there,
        chromium() as browser,
    ):
        ids = {name: await _answered(there, typed) for name, typed in asked.items()}
        async with page(there) as preview:
            phone = await browser.new_page(
                viewport=PHONE, device_scale_factor=SCALE, bypass_csp=True
            )
            phone.set_default_timeout(MILLISECONDS)
            await phone.goto(preview.url)
            await phone.add_style_tag(path=STYLE)
            opened = Album(phone, ids)
            for name in ids:
                drawn = expect(opened.message(name))  # busy until its images are there
                await drawn.to_have_attribute("aria-busy", "false", timeout=MILLISECONDS)
            await phone.evaluate("document.fonts.ready")
            yield opened


async def _answered(there: World, typed: Typed) -> int:
    """The id of the message that answers it."""
    query = {typed.option: typed.query} if typed.query else {}
    found = await there.you.slash(
        there.channel, f"vram {typed.task}", **query, **dict(typed.options)
    )
    return next(one.id for one in _messages(found))


def _messages(found: simcord.InteractionResult) -> list[simcord.ResponseMessage]:
    return [one for one in (found.response, *found.followups) if one is not None]


def _small(screenshot: bytes, notes: Mapping[str, str]) -> bytes:
    """A screenshot in a palette, with `notes` in its text."""
    kept, made = PngInfo(), BytesIO()
    for name, text in notes.items():
        kept.add_text(name, text)
    with Image.open(BytesIO(screenshot)) as whole:
        plain = whole.convert("RGB")
    few = plain.quantize(palette=_palette(plain), dither=Image.Dither.NONE)
    few.save(made, "PNG", optimize=True, pnginfo=kept)
    return made.getvalue()


def _palette(plain: Image.Image) -> Image.Image:
    """Its commonest colours as they are, and others so that none is far from one of them."""
    data = plain.tobytes()  # red, green, blue, and so on
    counted = Counter(zip(data[::3], data[1::3], data[2::3], strict=True))
    common = [colour for colour, _ in counted.most_common(COMMON)]
    others = plain.quantize(OTHERS, Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in common for part in colour), *others])
    return palette
