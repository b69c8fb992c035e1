"""`python -m bot try`: a page on this machine to try the bot on, without a token.

What it takes beyond the bot is an extra of its own, and is loaded here alone.
"""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Coroutine
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from bot.ask import open_desk
from bot.asking import warmed
from bot.config import ConfigError, Settings
from bot.exits import Exit
from bot.hub.later import hub_of
from bot.planned import prices_of
from bot.stopping import told_to_stop
from bot.store.chosen import store_in

EXTRA = ("simcord", "markdown_it", "linkify_it", "regex", "PIL")
REQUIREMENTS = "requirements-try.lock"
MOST_PORT = 65_535
LONGEST = 9  # digits of a number that is read
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")  # one of them is set where Linux has a screen

MISSING = (
    "The page takes a few packages more. In the bot's folder: "
    f"{{python}} -m pip install --require-hashes -r {REQUIREMENTS}"
)
BAD_PORT = f"--port takes a number from 1 to {MOST_PORT}, such as --port 8000; without it, any."
TAKEN_PORT = "Port {port} is taken, or not yours to take. Without --port a free one is found."
ADDRESS = "{url}\n\nThe page is at that address, for this machine alone. Ctrl-C ends it."


def try_it(settings: Settings, port: str | None, *, browser: bool) -> int:
    """Show the page until it is closed or stopped; the exit status. Raises ConfigError."""
    number = _port(port)
    if any(find_spec(name) is None for name in EXTRA):
        raise ConfigError([MISSING.format(python=sys.executable)])
    return asyncio.run(_shown(settings, number, browser=browser))


async def _shown(settings: Settings, port: int, *, browser: bool) -> int:
    from simcord import SetupError  # noqa: PLC0415  (an extra)

    from bot.page import bring_to_today, drawing, page, world  # noqa: PLC0415  (likewise)

    hub, kept = hub_of(settings), TemporaryDirectory()
    store = store_in(Path(kept.name))  # nothing that is tried is kept
    desk = warmed(open_desk(hub=hub, prices=lambda: prices_of(settings), store=store))
    drawn, stopped = settings.pictures.enabled, asyncio.Event()
    try:
        with told_to_stop(stopped.set):
            async with drawing() as painter, world(desk, painter if drawn else None) as there:
                await bring_to_today(there.env)
                await there.you.send(there.channel, f"/vram {desk.examples[0]}")
                async with page(there, port) as shown:
                    _tell(shown.url, browser=browser)
                    await _first_of(shown.wait_closed(), stopped.wait())
    except SetupError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise ConfigError([TAKEN_PORT.format(port=port)]) from None
    finally:
        await hub.close()
        await store.database.close()
        kept.cleanup()
    return Exit.DONE


async def _first_of(*ends: Coroutine[Any, Any, Any]) -> None:
    """Return with the first of them, and end the others."""
    tasks = [asyncio.create_task(end) for end in ends]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


def _tell(url: str, *, browser: bool) -> None:
    """Say where the page is, and open it where there is a screen."""
    print(ADDRESS.format(url=url), flush=True)
    if browser and _has_screen():
        Thread(target=_open, args=(url,), daemon=True).start()  # some browsers are waited for


def _open(url: str) -> None:
    with suppress(webbrowser.Error):
        webbrowser.open(url)


def _has_screen() -> bool:
    """A browser in a terminal would take it over, and run no scripts."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, SCREENS))


def _port(said: str | None) -> int:
    """The number that was said; 0, any free one, where none was. Raises ConfigError."""
    if said is None:
        return 0
    number = int(said) if said.isascii() and said.isdecimal() and len(said) < LONGEST else 0
    if not 1 <= number <= MOST_PORT:
        raise ConfigError([BAD_PORT])
    return number
