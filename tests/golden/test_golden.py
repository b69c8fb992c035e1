"""Kept answers are still given. After a change that is meant: `python -m tests.golden`."""

import pytest

from tests.golden.cases import GOLDEN
from tests.golden.store import current, kept, path_of


def test_each_case_has_its_file() -> None:
    assert kept() == set(GOLDEN)


@pytest.mark.parametrize("case", GOLDEN)
def test_the_answer_is_the_kept_one(case: str) -> None:
    assert current(case) == path_of(case).read_text(encoding="utf-8")
