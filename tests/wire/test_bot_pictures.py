"""Pictures of answers: with them, or by one edit, and never in the way of an answer."""

import asyncio
import os
import signal

import pytest

from bot.pictures.painter import Painter
from tests.wire.channels import Permissions
from tests.wire.illustrated import POST, QUESTION, asked, edits, errors, has_picture, settled
from tests.wire.our_bot import CALLBACK, ready
from tests.wire.painters import Held, drawers, drawing, needs_proc
from tests.wire.standin import StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.usefixtures("in_any_time")
async def test_a_picture_in_time_comes_with_the_answer(standin: StandIn) -> None:
    async with drawing() as painter, ready(standin, painter=painter):
        reply = await asked(standin)
        posted = await standin.answer_to(await standin.write(QUESTION))
        assert has_picture(reply.message)
        assert has_picture(posted.stored)
    assert edits(standin) == []
    files = [f for r in standin.requests_to(CALLBACK) for f in r.uploads]
    assert [each.content[:4] for each in files] == [b"\x89PNG"]


@pytest.mark.usefixtures("in_no_time")
async def test_a_late_picture_comes_by_one_edit(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        reply = await asked(standin)
        assert not has_picture(reply.message)
        before = {key: reply.embeds[0][key] for key in ("title", "description", "fields")}
        await painter.let_go()
        await reply.until(lambda: has_picture(reply.message))
        await settled(standin)
    assert len(edits(standin)) == 1
    assert {key: reply.embeds[0][key] for key in before} == before


@pytest.mark.usefixtures("in_no_time")
@pytest.mark.parametrize("where", [Where.GUILD, Where.BOT_DM])
async def test_a_late_picture_of_a_posted_answer_too(standin: StandIn, where: Where) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        posted = await standin.answer_to(await standin.write(QUESTION, where=where))
        assert not has_picture(posted.stored)
        await painter.let_go()
        await standin.until(lambda: has_picture(posted.stored))
        await settled(standin)
    assert len(edits(standin)) == 1
    assert standin.posted == [posted]


@pytest.mark.parametrize("late", [False, True])
async def test_an_announced_answer_gets_its_picture(
    standin: StandIn, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 0)
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 0 if late else 60)
    painter = Held()
    async with ready(standin, painter=painter):
        reply = await asked(standin)
        if not late:
            await painter.let_go()
        await reply.finished()
        assert has_picture(reply.message) is not late
        if late:
            await painter.let_go()
            await reply.until(lambda: has_picture(reply.message))
        await settled(standin)
    assert len(edits(standin)) == 1 + late


@pytest.mark.usefixtures("in_no_time")
async def test_without_a_painter_there_are_no_pictures(standin: StandIn) -> None:
    async with ready(standin):
        reply = await asked(standin)
        await settled(standin)
        assert not has_picture(reply.message)
    assert edits(standin) == []


async def test_errors_wait_for_nothing(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 60)
    painter = Held()
    async with ready(standin, painter=painter):
        refused = await standin.slash("vram train", {"query": "7C"})
        await standin.answer_to(await standin.write("@bot train 7C"))
        helped = await standin.slash("vram help")
    assert refused.ephemeral
    assert helped.status == 200
    assert painter.asked == []


@pytest.mark.usefixtures("in_any_time")
async def test_a_picture_that_cannot_be_drawn_is_left_out(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        asking = asyncio.create_task(asked(standin))
        await painter.let_go(None)
        reply = await asking
        assert not has_picture(reply.message)
    assert edits(standin) == []


@needs_proc
@pytest.mark.usefixtures("in_any_time")
async def test_a_killed_drawer_loses_no_picture(standin: StandIn) -> None:
    async with drawing() as painter, ready(standin, painter=painter):
        await asked(standin)
        (first,) = drawers(os.getpid())
        os.kill(first, signal.SIGKILL)
        reply = await standin.slash("vram train", {"query": "7B adam lora bs 2"})
        assert reply.message["attachments"]
        assert drawers(os.getpid()) != [first]
    assert edits(standin) == []


async def test_a_drawer_that_never_starts_holds_up_nobody(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    painter = Painter(("false",))
    async with ready(standin, painter=painter):
        reply = await asked(standin)
        posted = await standin.answer_to(await standin.write(QUESTION))
        assert not has_picture(reply.message)
        assert not has_picture(posted.stored)
        await painter.close()
    assert edits(standin) == []
    assert errors(caplog) == []


@pytest.mark.usefixtures("in_any_time")
async def test_an_interaction_that_may_not_attach_tries_no_picture(standin: StandIn) -> None:
    channel = standin.world.places.channel_ids[Where.GUILD]
    standin.world.permissions[channel] = Permissions(attach=False)
    painter = Held()
    async with ready(standin, painter=painter):
        reply = await asked(standin)
        assert not has_picture(reply.message)
    assert painter.asked == []


async def test_a_channel_without_files_gets_the_answer_and_is_remembered(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 60)
    channel = standin.world.places.channel_ids[Where.GUILD]
    standin.world.permissions[channel] = Permissions(attach=False)
    painter = Held()
    async with ready(standin, painter=painter):
        first = await standin.write(QUESTION)
        await painter.let_go()
        answers = [await standin.answer_to(first)]
        answers.append(await standin.answer_to(await standin.write(QUESTION)))
    assert [has_picture(one.stored) for one in answers] == [False, False]
    assert [request.status for request in standin.requests_to(POST)] == [403, 200, 200]


@pytest.mark.usefixtures("in_no_time")
async def test_a_late_picture_that_a_channel_refuses_changes_nothing(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    channel = standin.world.places.channel_ids[Where.GUILD]
    painter = Held()
    async with ready(standin, painter=painter):
        posted = await standin.answer_to(await standin.write(QUESTION))
        standin.world.permissions[channel] = Permissions(attach=False)
        await painter.let_go()
        await standin.until(lambda: len(edits(standin)) == 1)
        await settled(standin)
        assert not has_picture(posted.stored)
    assert len(edits(standin)) == 1
    assert errors(caplog) == []
