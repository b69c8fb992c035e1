"""A reply of the bot as a phone shows it: `python -m tests.bot.picture [BROWSER]`.

The bot answers a stand-in for Discord, and `tests/golden/reply.png` shows what it sent, drawn
by Chromium, which is found by itself or named by its path. The picture carries the SHA-256 of
the message, so that a test without a browser sees whether it still is today's reply.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.bot.message_html import WIDTH, UndrawnError, page
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn

PICTURE = Path(__file__).parents[1] / "golden" / "reply.png"
COMMAND, QUERY = "/vram train", "7B adam lora"
HASH = "message-sha256"  # the keyword of the hash in the PNG

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = (
    "No browser found. Install Chromium (Debian, Ubuntu: apt install chromium) or name one: "
    "python -m tests.bot.picture PATH"
)
SCALE = 2  # device pixels per CSS pixel, as phones have or more
SECONDS = 60  # that the browser may take

Message = dict[str, Any]


class BrowserError(Exception):
    """There is no browser, or it did not do it."""


def message() -> Message:
    """The reply to `/vram train 7B adam lora`, as the client sends it over its socket."""
    return asyncio.run(_answered())


def hash_of(sent: Message) -> str:
    """The same for the same message, however its keys are ordered."""
    return sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def picture(sent: Message, browser: str) -> bytes:
    """The PNG of a message."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.png")
        source.write_text(page(sent, COMMAND), encoding="utf-8")
        command = [browser, *_switches(Path(folder, "profile")), source.as_uri()]
        measured = re.search(r'data-height="(\d+)"', _run([*command, "--dump-dom"]))
        if measured is None:
            raise BrowserError(f"{browser} did not show the page in its fonts.")
        size = f"--window-size={WIDTH},{measured[1]}"
        _run([*command, size, f"--screenshot={target}"])
        if not target.exists():
            raise BrowserError(f"{browser} made no picture.")
        return _small(target, hash_of(sent))


def _small(screenshot: Path, hash_: str) -> bytes:
    """A screenshot in a palette, a third of its size, with the hash of what it shows."""
    notes = PngInfo()
    notes.add_text(HASH, hash_)
    made = BytesIO()
    with Image.open(screenshot) as picture_:
        plain = picture_.convert("RGB")
    plain.quantize(dither=Image.Dither.NONE).save(made, "PNG", optimize=True, pnginfo=notes)
    return made.getvalue()


def find_browser(named: str | None = None) -> str:
    """The path of the browser that was named, or of the first that is installed."""
    for name in (named,) if named else BROWSERS:
        if found := shutil.which(name):
            return found
    raise BrowserError(f"{named} is no program. {MISSING}" if named else MISSING)


async def _answered() -> Message:
    async with StandIn() as discord, ready(discord):
        reply = await discord.slash(COMMAND.removeprefix("/"), {"query": QUERY})
        return reply.data


def _switches(profile: Path) -> list[str]:
    """How the browser runs: unseen, on a new profile, sharp."""
    switches = [
        "--headless",
        "--hide-scrollbars",
        "--disable-lcd-text",
        f"--force-device-scale-factor={SCALE}",
        f"--user-data-dir={profile}",
    ]
    return [*switches, "--no-sandbox"] if os.geteuid() == 0 else switches


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    except subprocess.CalledProcessError as error:
        raise BrowserError(f"{command[0]} failed:\n{error.stderr}") from None
    except subprocess.TimeoutExpired:
        raise BrowserError(f"{command[0]} was not done in {SECONDS} s.") from None
    return done.stdout


def main(named: str | None = None) -> None:
    """Write the picture."""
    try:
        browser = find_browser(named)
        PICTURE.write_bytes(picture(message(), browser))
    except (BrowserError, UndrawnError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:2])
