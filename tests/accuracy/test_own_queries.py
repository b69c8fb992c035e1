"""Questions of our own, as many people type them: how many of their fields are right."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.accuracy.queries import Field, Mark, scores_of_file
from tests.accuracy.truth import read_rows

FILE = Path(__file__).with_name("own_queries.jsonl")
LEAST = {"q-en": 95, "q-messy": 90, "q-bad": 97, "q-hostile": 97}  # percent
FEWEST = 200  # questions


def fields() -> Sequence[Field]:
    return scores_of_file(FILE)


@pytest.mark.parametrize(("kind", "least"), LEAST.items())
def test_questions_are_read_as_they_are_meant(kind: str, least: int) -> None:
    own = [field for field in fields() if field.kind == kind]
    assert 100 * sum(field.mark is Mark.RIGHT for field in own) >= least * len(own)


def test_no_model_is_another() -> None:
    wrong = [one for one in fields() if one.key.startswith("model") and one.mark is Mark.WRONG]
    assert wrong == []


def test_every_question_is_one_of_its_own() -> None:
    rows = list(read_rows(FILE))
    assert len({row["id"] for row in rows}) == len({row["text"] for row in rows}) == len(rows)
    assert len(rows) >= FEWEST
