"""Pictures that come late, to messages that changed, went, or are about to change."""

import asyncio

import pytest

from tests.wire.illustrated import (
    EDIT,
    QUESTION,
    answered,
    asked,
    edits,
    errors,
    has_picture,
    settled,
)
from tests.wire.our_bot import ready
from tests.wire.painters import Held
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.usefixtures("in_no_time")
@pytest.mark.parametrize("posts", [False, True])
async def test_a_deleted_message_gets_no_picture(
    standin: StandIn, posts: bool, caplog: pytest.LogCaptureFixture
) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        message = await answered(standin, posts=posts)
        standin.world.messages.remove(message)
        await painter.let_go()
        await settled(standin)
    assert edits(standin) == []
    assert errors(caplog) == []


@pytest.mark.usefixtures("in_no_time")
@pytest.mark.parametrize("posts", [False, True])
async def test_a_message_that_was_changed_meanwhile_stays_so(standin: StandIn, posts: bool) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        message = await answered(standin, posts=posts)
        message.change({"embeds": [{"title": "another answer"}]}, ())  # by another process
        await painter.let_go()
        await settled(standin)
    assert edits(standin) == []
    assert message.stored["embeds"][0]["title"] == "another answer"


@pytest.mark.usefixtures("in_no_time")
async def test_a_message_that_is_about_to_change_gets_no_late_picture(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter) as running:
        message = await answered(standin, posts=True)
        await running.client.illustrator.overtaken(int(message.id))
        await painter.let_go()
        await settled(standin)
    assert edits(standin) == []


@pytest.mark.usefixtures("in_no_time")
async def test_an_edit_that_is_on_its_way_is_waited_for(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter) as running:
        message = await answered(standin, posts=True)
        standin.faults.delay(0.2, route=EDIT, times=None)
        await painter.let_go()
        await standin.until(lambda: bool(standin.requests_to(EDIT)))
        await running.client.illustrator.overtaken(int(message.id))
        assert has_picture(message.stored)


@pytest.mark.usefixtures("in_no_time")
async def test_two_processes_put_one_picture(standin: StandIn) -> None:
    one, other = Held(), Held()
    async with ready(standin, painter=one), ready(standin, painter=other):
        await standin.ready(sessions=2)
        posted = await standin.answer_to(await standin.write(QUESTION))
        await one.let_go()
        await standin.until(lambda: has_picture(posted.stored))
        await other.let_go()
        await settled(standin)
    assert len(edits(standin)) == 1


@pytest.mark.usefixtures("in_no_time")
async def test_a_stop_lets_go_of_pictures_that_are_not_there(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter) as running:
        await answered(standin, posts=True)
        running.supervisor.stop()
        async with asyncio.timeout(10):
            await running.ended()
    assert edits(standin) == []


@pytest.mark.usefixtures("in_no_time")
async def test_an_answer_that_arrived_unheard_gets_its_picture(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        standin.faults.cut(after=True)
        reply = await asked(standin)
        await painter.let_go()
        await reply.until(lambda: has_picture(reply.message))
        await settled(standin)
    assert len(edits(standin)) == 1
