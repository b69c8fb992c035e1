"""Questions of newcomers, by somebody who knew titles alone."""

from tests.accuracy.topics import score


def test_most_questions_find_their_topic() -> None:
    found = score()
    assert found.right >= 35
    assert found.right + found.offered >= 38
    assert found.wrong <= 14
