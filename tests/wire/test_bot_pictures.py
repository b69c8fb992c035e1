"""Pictures of answers: with them, or by one edit, and never in the way of an answer."""

import asyncio
import logging
import os
import signal

import pytest

from bot.pictures.painter import Painter
from tests.wire.channels import Permissions
from tests.wire.messages import Message
from tests.wire.our_bot import CALLBACK, QUERY, VERDICT, ready
from tests.wire.painters import Held, drawers, drawing
from tests.wire.people import Json
from tests.wire.standin import Reply, StandIn, Where

QUESTION = "@bot train 7B adam lora"
POST = "/channels/{channel}/messages"
EDIT = "/channels/{channel}/messages/{mid}"
WEBHOOK = "/webhooks/{app}/{token}/messages/{mid}"


@pytest.fixture
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer waits for its picture."""
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 0)


@pytest.fixture
def in_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers wait for their pictures, however slow this machine is."""
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 60)


def edits(standin: StandIn) -> list[Json]:
    """The bodies of all calls that change a message."""
    return [
        request.body
        for route in (EDIT, WEBHOOK, WEBHOOK.replace("{mid}", "@original"))
        for request in standin.requests_to(route)
        if request.method == "PATCH"
    ]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]


def has_picture(stored: Json) -> bool:
    """Whether its one embed shows its one file."""
    (embed,) = stored["embeds"]
    if not stored["attachments"]:
        assert "image" not in embed
        return False
    (file,) = stored["attachments"]
    assert file["filename"] == "memory.png"
    assert file["description"].startswith("Bar chart. Training 7B, lora: Peak 15.7 GiB (16.9 GB)")
    assert embed["image"]["url"] == file["url"]
    assert embed["title"].startswith(VERDICT)
    return True


async def asked(standin: StandIn, **who: object) -> Reply:
    return await standin.slash("vram train", QUERY, **who)  # type: ignore[arg-type]


async def settled(standin: StandIn) -> None:
    """Let whatever is still to come, come: another answer goes all the way."""
    await standin.slash("vram help")
    await asyncio.sleep(0.1)


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


async def answered(standin: StandIn, *, posts: bool) -> Message:
    """The message of an answer, without its picture."""
    if posts:
        return await standin.answer_to(await standin.write(QUESTION))
    stored = (await asked(standin)).stored
    assert stored is not None
    return stored
