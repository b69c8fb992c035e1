"""What `/vram help` says of how right answers have been is what the scorers say."""

import pytest

from bot.languages import SPOKEN
from bot.locale import load_locale
from bot.presenting.record import said_record
from bot.record import load_record
from bot.surface.limits import MOST_FIELD
from tests.accuracy.record import FILE, written


def test_the_record_is_the_scorers_own() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert text == written(), "run python -m tests.accuracy.record, and read the difference"


def test_each_kind_of_run_and_text_has_a_line() -> None:
    record, locale = load_record(), load_locale()
    said = said_record(record, locale)
    ids = [*(kind.id for kind in record.runs), *(text.id for text in record.texts)]
    assert len(said.splitlines()) == len(ids)
    assert all(locale.reply.record[one] in said for one in ids)
    assert all(f"{kind.rule:.0%}" in said for kind in record.runs if kind.rule is not None)


@pytest.mark.parametrize("code", SPOKEN)
def test_it_goes_into_a_field_whole(code: str) -> None:
    assert len(said_record(load_record(), load_locale(code))) <= MOST_FIELD
