"""Tables are made once and kept, each by what asks for it."""

from bot.locale import load_locale
from bot.reading.read import Reader
from bot.tabling import MOST_KEPT, Tables
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())


def test_a_table_is_made_once_for_all_who_ask_in_other_words() -> None:
    tables = Tables(load_catalog(), load_locale())
    first = tables.answer([READER.read("what can I train on a 3060?")])
    again = tables.answer([READER.read("fit train rtx-3060-12gb")])
    assert again.tables[0] is first.tables[0]
    assert len(tables.kept) == 1


def test_each_task_and_card_has_its_own() -> None:
    tables = Tables(load_catalog(), load_locale())
    both = tables.answer([READER.read("fit 4gb")])
    cards = tables.answer([READER.read("fit train 6gb"), READER.read("fit train 8gb")])
    assert [table.task for table in both.tables] == ["train", "infer"]
    assert len(cards.tables) == 2
    assert len(tables.kept) == 4


def test_the_oldest_gives_way() -> None:
    tables = Tables(load_catalog(), load_locale())
    reading = READER.read("fit train 4gb")
    made = tables.answer([reading]).tables[0]
    tables.kept.clear()
    tables.kept.update({(f"line {number}", "train"): made for number in range(MOST_KEPT)})
    tables.answer([reading])
    assert len(tables.kept) == MOST_KEPT
    assert ("line 0", "train") not in tables.kept
    assert ("line 1", "train") in tables.kept


def test_a_document_says_what_was_understood_and_what_to_mind() -> None:
    tables = Tables(load_catalog(), load_locale())
    reading = READER.read("please, what can I train on my 4gb card, zorkmids aside?")
    found = tables.answer([reading])
    document = found.document()
    assert document["understood"]["task"] == "train"
    assert document["warnings"] == list(reading.notes)
    assert found.overview.warnings == reading.notes
    assert "zorkmids" in " ".join(reading.notes)
