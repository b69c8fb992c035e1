"""Presses under answers that have pictures, or get them late: each answer keeps its own."""

import pytest

from tests.wire.illustrated import settled
from tests.wire.our_bot import QUERY, ready
from tests.wire.painters import Held, drawing
from tests.wire.people import Json
from tests.wire.standin import StandIn
from tests.wire.under import COPY, HOW, SELECT, SIZE, ids, line_of, stored


def has_picture(message: Json) -> bool:
    """Whether its embed shows its file, which says what its answer says."""
    (embed,) = message["embeds"]
    if not message["attachments"]:
        assert "image" not in embed
        return False
    (file,) = message["attachments"]
    assert embed["image"]["url"] == file["url"]
    assert embed["title"].split(":")[0] in file["description"]
    return True


pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.usefixtures("in_any_time")
async def test_a_pressed_answer_comes_with_the_picture_of_what_it_is_now(standin: StandIn) -> None:
    async with drawing() as painter, ready(standin, painter=painter):
        reply = await standin.slash("vram train", QUERY)
        before = stored(reply)["attachments"]
        assert has_picture(reply.message)
        await standin.press(HOW, reply, SELECT, ["qlora"])
        after = stored(reply)["attachments"]
        assert has_picture(reply.message)
        copy = await standin.press(COPY, reply)
        other = await standin.press(SIZE, reply, SELECT, ["bs 4"], by=standin.person("bob"))
    assert [len(before), len(after)] == [1, 1]
    assert before[0]["id"] != after[0]["id"]
    assert copy.embeds[0]["fields"] == reply.embeds[0]["fields"]
    assert has_picture(other.message)


@pytest.mark.usefixtures("in_no_time")
async def test_a_picture_that_comes_after_a_press_is_not_put_on_what_it_is_not_of(
    standin: StandIn,
) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        reply = await standin.slash("vram train", QUERY)
        pressed = await standin.press(HOW, reply, SELECT, ["qlora"])
        await painter.let_go()
        await settled(standin)
        assert not has_picture(reply.message)
        await painter.let_go()
        await pressed.until(lambda: has_picture(reply.message))
        await settled(standin)
    assert line_of(reply) == "train 7B qlora adamw"
    assert HOW in ids(reply)


@pytest.mark.usefixtures("in_no_time")
async def test_a_late_picture_leaves_what_can_be_pressed(standin: StandIn) -> None:
    painter = Held()
    async with ready(standin, painter=painter):
        reply = await standin.slash("vram train", QUERY)
        before = ids(reply)
        await painter.let_go()
        await reply.until(lambda: has_picture(reply.message))
        assert ids(reply) == before
        await standin.press(SIZE, reply, SELECT, ["bs 4"])
    assert line_of(reply) == "train 7B lora adamw bs 4"
    assert not has_picture(reply.message)
