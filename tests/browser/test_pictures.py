"""The pictures of answers on the page, in a real browser."""

import pytest
from playwright.async_api import expect

from tests.browser.visit import visit

pytestmark = pytest.mark.browser
DRAWN = "e => e.complete && e.naturalWidth > 300"


async def test_an_answer_has_its_picture_and_a_refusal_none() -> None:
    async with visit() as there:
        image = there.messages.first.locator("img")
        await expect(image).to_be_visible()
        assert await image.evaluate(DRAWN)
        await there.type("/vram train 8B qlora")
        await expect(there.messages.nth(1).locator("img")).to_be_visible()
        await there.type("/vram train 7B frobadam")
        await expect(there.messages).to_have_count(3)
        await expect(there.messages.last.locator("img")).to_have_count(0)
