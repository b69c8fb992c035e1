"""A visit to the page: the command is run as people run it, and a phone opens its address."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.browser.chromium import chromium
from tests.repo.product import ROOT

PHONE: ViewportSize = {"width": 390, "height": 844}
PATIENCE_S = 60  # of real time that a slow machine may take
ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+/#\S+")

expect.set_options(timeout=PATIENCE_S * 1000)


@dataclass(slots=True)
class Visit:
    """An open page. `asked`: every address it wanted; `wrong`: what it complained of."""

    page: Page
    address: str
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def messages(self) -> Locator:
        return self.page.locator(".channel-message")

    async def type(self, line: str) -> None:
        """What a person does: a line in the box below, and Enter."""
        await self.page.locator("#channel-composer-input").click()
        await self.page.keyboard.type(line)
        await self.page.keyboard.press("Enter")


@asynccontextmanager
async def visit() -> AsyncIterator[Visit]:
    """The page of `python -m bot try`, opened; at the end Ctrl-C, which has to end it well."""
    command = (sys.executable, "-m", "bot", "try", "--no-browser")
    program = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            first = await program.stdout.readline()
        found = ADDRESS.search(first)
        assert found, first
        async with chromium() as browser:
            page = await browser.new_page(viewport=PHONE)
            page.set_default_timeout(PATIENCE_S * 1000)
            visit_ = Visit(page, found[0].decode())
            page.on("request", lambda request: visit_.asked.append(request.url))
            page.on("pageerror", lambda error: visit_.wrong.append(str(error)))
            await page.goto(visit_.address)
            await expect(visit_.messages.first).to_be_visible()
            await expect(page.locator("#preview-app")).to_have_attribute("aria-busy", "false")
            yield visit_
            assert visit_.wrong == []
    finally:
        if program.returncode is None:
            program.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE_S):
            _, complaints = await program.communicate()
    assert (program.returncode, complaints) == (0, b"")
