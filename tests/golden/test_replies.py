"""Kept replies are still given. After a change that is meant: `python -m tests.golden`."""

import pytest

from tests.golden.replies import REPLIES, current_reply, kept_replies, reply_path


def test_each_question_has_its_file() -> None:
    assert kept_replies() == set(REPLIES)


@pytest.mark.parametrize("name", REPLIES)
def test_the_reply_is_the_kept_one(name: str) -> None:
    assert current_reply(name) == reply_path(name).read_text(encoding="utf-8")
