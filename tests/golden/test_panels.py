"""Kept panels still stand there. After a change that is meant: `python -m tests.golden`."""

import pytest

from tests.golden.panels import PANELS, current_panel, kept_panels, panel_path


def test_each_question_has_its_file() -> None:
    assert kept_panels() == set(PANELS)


@pytest.mark.parametrize("name", PANELS)
def test_the_panel_is_the_kept_one(name: str) -> None:
    assert current_panel(name) == panel_path(name).read_text(encoding="utf-8")
