"""What is pressed under an answer on the page, in a real browser."""

import pytest
from playwright.async_api import Locator, expect

from bot.ask import Desk, Replied, open_desk
from tests.browser.visit import Visit, visit

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def headline(desk: Desk, line: str) -> str:
    """The verdict that the bot gives everywhere else."""
    found = desk.ask(line)
    assert isinstance(found, Replied)
    return found.presentation.headline


def title(message: Locator) -> Locator:
    return message.locator(".embed-title")


async def choose(there: Visit, hint: str, label: str) -> None:
    """Open the first answer's list with that hint, and take what is so called."""
    await there.messages.first.get_by_role("combobox", name=hint).click()
    await there.page.get_by_role("option", name=label).first.click()


async def test_a_choice_changes_the_answer_in_its_place(desk: Desk) -> None:
    async with visit() as there:
        await choose(there, "Method, optimizer", "Method: QLoRA")
        await expect(title(there.messages.first)).to_have_text(
            headline(desk, "train 7B qlora adamw")
        )
        await expect(there.messages).to_have_count(1)


async def test_the_maths_are_for_who_pressed(desk: Desk) -> None:
    async with visit() as there:
        await there.messages.first.get_by_role("button", name="Show the maths").click()
        await expect(there.messages).to_have_count(2)
        await expect(there.messages.last).to_contain_text("Only you can see this")
        await expect(there.messages.last).to_contain_text("trainable × adapter_bytes")
        await expect(title(there.messages.first)).to_have_text(
            headline(desk, "train 7B lora adamw")
        )


async def test_a_form_takes_exact_values_and_answers_nonsense(desk: Desk) -> None:
    async with visit() as there:
        form = there.page.locator("#modal-root")
        await there.messages.first.get_by_role("button", name="Exact values").click()
        await form.get_by_role("textbox").first.fill("frob")
        await form.get_by_role("button", name="Submit").click()
        await expect(there.messages.last).to_contain_text("frob")
        await there.messages.last.get_by_role("button", name="Correct it").click()
        await expect(form.get_by_role("textbox").first).to_have_value("frob")
        await form.get_by_role("textbox").first.fill("3")
        await form.get_by_role("button", name="Submit").click()
        expected = headline(desk, "train 7B lora adamw bs 3")
        await expect(title(there.messages).filter(has_text=expected)).to_have_count(1)


async def test_another_persons_press_is_answered_to_them_alone(desk: Desk) -> None:
    async with visit() as there:
        await there.page.locator("#viewer-picker").select_option(label="a friend")
        await expect(there.messages).to_have_count(1)
        await choose(there, "Method, optimizer", "Method: QLoRA")
        await expect(there.messages).to_have_count(2)
        await expect(title(there.messages.last)).to_have_text(
            headline(desk, "train 7B qlora adamw")
        )
        await expect(title(there.messages.first)).to_have_text(
            headline(desk, "train 7B lora adamw")
        )
        await there.page.locator("#viewer-picker").select_option(label="you")
        await expect(there.messages).to_have_count(1)
