"""Two processes with one token: each has a session and hears all, and each question one answer."""

import asyncio
import logging
from collections import Counter

import pytest

from tests.wire.our_bot import CALLBACK, QUERY, answers, ready, started
from tests.wire.standin import StandIn
from tests.wire.under import SIZE, values

QUESTIONS = 5


@pytest.mark.usefixtures("unhurried")
async def test_each_question_is_answered_once_and_neither_process_minds(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with ready(standin) as one, started(standin) as other:
        await standin.ready(sessions=2, timeout=60)
        clients = one.client, other.client
        replies = [await standin.slash("vram train", QUERY) for _ in range(QUESTIONS)]
        pressed = await standin.press(SIZE, replies[-1], 3, values(replies[-1], SIZE)[:1])
        await pressed.finished(timeout=60)
        asked = await standin.write("@bot 7B adam lora")
        await standin.answer_to(asked)
        await standin.until(lambda: _both_spoke(standin, QUESTIONS + 1), 30)
        assert (one.client, other.client) == clients
    assert len(standin.posted) == 1
    assert len(standin.identifies) == 2
    assert standin.resumes == []
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_neither_takes_the_others_session(standin: StandIn) -> None:
    """Both resume their own after a break, and both begin anew where both must."""
    async with ready(standin) as one, started(standin) as other:
        await standin.ready(sessions=2, timeout=60)
        clients = one.client, other.client
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 2, 60)
        await standin.ready(sessions=2, timeout=60)
        await standin.invalidate(resumable=False)
        await standin.until(lambda: len(standin.identifies) == 4, 60)
        await standin.ready(sessions=2, timeout=60)
        assert await answers(standin)
        assert (one.client, other.client) == clients
        quiet = len(standin.connections)
        await asyncio.sleep(0.5)  # in which who fights for a session would connect again
        assert len(standin.connections) == quiet
    assert all(resume.resumed for resume in standin.resumes)


def _both_spoke(standin: StandIn, questions: int) -> bool:
    """Whether each question was answered by one, and the other was told so."""
    statuses = Counter(request.status for request in standin.requests_to(CALLBACK))
    return statuses == {200: questions, 400: questions}
