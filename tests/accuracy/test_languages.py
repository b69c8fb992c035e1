"""Questions in other languages than English: how many of their fields are right."""

from pathlib import Path

import pytest

from bot.reading.languages import ENGLISH, language_of
from tests.accuracy.queries import Mark, scores_of_file
from tests.accuracy.truth import read_rows

HERE = Path(__file__).parent
FILES = sorted((HERE / "languages").glob("*.jsonl"))
LEAST = 95  # percent


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_questions_of_a_language_are_read_as_they_are_typed(file: Path) -> None:
    fields = scores_of_file(file)
    right = sum(field.mark is Mark.RIGHT for field in fields)
    assert 100 * right / len(fields) >= LEAST
    assert [f for f in fields if f.key in ("model", "models") and f.mark is Mark.WRONG] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_its_language_is_told(file: Path) -> None:
    told = [language_of(row["text"]) == file.stem for row in read_rows(file)]
    assert 100 * sum(told) / len(told) >= LEAST


def test_english_is_taken_for_no_other_language() -> None:
    rows = [row for row in read_rows(HERE / "queries.jsonl") if row["lang"] == "en"]
    assert [row["text"] for row in rows if language_of(row["text"]) != ENGLISH] == []
