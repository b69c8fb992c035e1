"""Chromium as the system has it, driven by playwright."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = "No browser found. Install Chromium: on Debian and Ubuntu, apt install chromium."


class BrowserError(Exception):
    """There is no browser."""


def find_browser() -> str:
    """The path of the first that is installed; raises BrowserError."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    raise BrowserError(MISSING)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser without a window. As root, as in containers, it runs without its own sandbox."""
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    path = find_browser()
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=sandbox)
        try:
            yield browser
        finally:
            await browser.close()
