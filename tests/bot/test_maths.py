"""The arithmetic that is shown is that of the estimate, number for number, within the limits."""

import re

import pytest

from bot.ask import Desk, Replied, open_desk
from bot.presenting.maths import in_numbers, maths_of
from bot.presenting.worked import Maths, Worked
from bot.surface.limits import MOST_EMBED, MOST_FIELD, MOST_TITLE
from bot.surface.maths import MOST_FORMULA, maths_pages, page_panel
from tests.bot.test_offering import QUESTIONS
from tests.formula_text import evaluate

GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def maths(desk: Desk, line: str) -> tuple[Replied, Maths]:
    found = desk.ask(line)
    assert isinstance(found, Replied)
    return found, maths_of(found.answer, found.presentation.line, desk.catalog, desk.locale)


def bytes_of(worked: Worked) -> int:
    """What the numbers are said to come to, which they do; a number alone is that already."""
    text, _, result = worked.numbers.rpartition(" = ")
    plain = GROUPED.sub(lambda found: found[0].replace(",", ""), text or result)
    said = int(result.replace(",", ""))
    assert evaluate(plain, {}) == said
    return said


@pytest.mark.parametrize("line", QUESTIONS)
def test_the_numbers_of_every_line_come_to_its_bytes(desk: Desk, line: str) -> None:
    found, shown = maths(desk, line)
    assert len(shown.lines) == len(found.answer.estimate.peak.lines)
    assert sum(map(bytes_of, shown.lines)) == found.answer.estimate.peak.bytes


@pytest.mark.parametrize("line", QUESTIONS)
def test_every_line_and_rule_names_its_source(desk: Desk, line: str) -> None:
    _, shown = maths(desk, line)
    assert all(one.source is not None for one in (*shown.lines, *shown.rules))
    assert shown.rules


@pytest.mark.parametrize("line", QUESTIONS)
def test_pages_are_within_discords_limits_and_leave_nothing_out(desk: Desk, line: str) -> None:
    _, shown = maths(desk, line)
    pages = maths_pages(shown, desk.locale)
    for number, page in enumerate(pages, 1):
        assert len(page) <= MOST_EMBED
        assert len(page.fields) <= 25
        assert all(1 <= len(str(one.value)) <= MOST_FIELD for one in page.fields)
        assert all(1 <= len(str(one.name)) <= MOST_TITLE for one in page.fields)
        assert shown.line in str(page.fields[-1].value)
        buttons = page_panel(number, len(pages), desk.locale).buttons
        assert len(buttons) == (number > 1) + (number < len(pages))
    names = "\n".join(str(field.name) for page in pages for field in page.fields)
    assert all(one.name in names for one in (*shown.lines, *shown.rules))
    assert all(len(one.formula) <= MOST_FORMULA for one in shown.lines)


def test_names_become_numbers_and_functions_stay() -> None:
    terms = [("tokens", 2048), ("max_tokens", 7)]
    assert in_numbers("max(0, tokens × max_tokens) + other", terms) == "max(0, 2,048 × 7) + other"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train 7B full", "less than the estimate"),
        ("train 7B lora", "more than the estimate"),
        ("train 7B full zero3 4x a100 80GB", "4 times the estimate, which is of one card"),
        ("infer 8B q4_k_m", "Here: weights"),
    ],
)
def test_it_is_said_why_rules_differ(desk: Desk, line: str, words: str) -> None:
    _, shown = maths(desk, line)
    assert any(words in one.said for one in shown.rules)
