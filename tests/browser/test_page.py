"""What people do on the page, in a real browser. None of it is skipped: it asks for Chromium."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from bot.ask import Desk, Replied, open_desk
from tests.browser.visit import visit

pytestmark = pytest.mark.browser
LINE = "/vram train 7B adam lora"


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def headline(desk: Desk, line: str) -> str:
    """The verdict that the bot gives everywhere else."""
    found = desk.ask(line)
    assert isinstance(found, Replied)
    return found.presentation.headline


async def test_a_line_is_answered_as_it_is_typed(desk: Desk) -> None:
    async with visit() as there:
        await expect(there.messages).to_have_count(1)  # the page is not empty at first
        await expect(there.page.locator(".channel-topic")).to_contain_text(LINE)
        await there.type(LINE)
        await expect(there.messages).to_have_count(2)
        title = there.messages.last.locator(".embed-title")
        await expect(title).to_have_text(headline(desk, "train 7B adam lora"))
        assert {urlsplit(url.removeprefix("blob:")).hostname for url in there.asked} == {
            "127.0.0.1"
        }


async def test_a_command_is_picked_from_the_list_and_lines_are_listed(desk: Desk) -> None:
    async with visit() as there:
        await there.type("/vram train")  # Enter picks it
        box = there.page.locator(".command-option-input")
        await box.press_sequentially("8B adam lora")
        list_ = there.page.locator(".command-popup")
        await expect(list_).to_contain_text("8B ADAM LORA")  # it is of the whole line
        first = list_.get_by_role("option").first
        await expect(first).to_contain_text("GiB")
        await first.click()
        await there.page.locator(".command-chip").press("Enter")
        await expect(there.messages).to_have_count(2)
        title = there.messages.last.locator(".embed-title")
        await expect(title).to_have_text(headline(desk, "train 8B adam lora"))


async def test_an_error_is_for_the_asker_alone() -> None:
    async with visit() as there:
        await there.type("/vram train 7B frobadam lora")
        await expect(there.messages.last).to_contain_text("frobadam")
        await expect(there.messages.last).to_contain_text("Only you can see this")
        await there.page.locator("#viewer-picker").select_option(label="a friend")
        await expect(there.messages).to_have_count(1)


async def test_a_mention_is_answered_and_a_reply_changes_it(desk: Desk) -> None:
    async with visit() as there:
        await there.type("@vram-bot 7B lora")
        await expect(there.messages).to_have_count(3)
        title = there.messages.last.locator(".embed-title")
        await expect(title).to_have_text(headline(desk, "7B lora"))
        await there.messages.last.hover()
        await there.messages.last.get_by_role("button", name="Reply").click()
        await there.type("with qlora")
        await expect(there.messages).to_have_count(5)
        await expect(title).to_have_text(headline(desk, "7B qlora"))
