"""Presses under answers about models that no table has: the Hub is asked again where it must be."""

from collections.abc import AsyncIterator

import pytest

from bot.hub.hub import Hub
from tests.hub.desk import desk_of
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn
from tests.wire.under import COMPARE, EXACT, HOW, MATHS, SELECT, SIZE, line_of, texts, values

pytestmark = pytest.mark.usefixtures("unhurried")

LONGEST = f"somebody/{'thing-' * 14}8b"
LONGEST += "x" * (96 - len(LONGEST))
QUERY = {"query": f"{LONGEST} adam lora"}
UPDATE, LATER = 7, 6


@pytest.fixture
async def hub() -> AsyncIterator[HubStandIn]:
    async with HubStandIn() as standin:
        standin.add(LONGEST, LLAMA, counts={"BF16": LLAMA_COUNT})
        yield standin


async def test_a_model_with_a_name_of_96_characters_is_pressed_as_others_are(
    standin: StandIn, hub: HubStandIn
) -> None:
    assert len(LONGEST) == 96
    asking = Hub(base=hub.base, patience_s=60)
    async with ready(standin, desk=desk_of(asking)):
        reply = await (await standin.slash("vram train", QUERY)).finished()
        assert "qlora" in values(reply, HOW)
        pressed = await standin.press(HOW, reply, SELECT, ["qlora"])
        assert pressed.type == UPDATE
        assert line_of(reply) == f"train {LONGEST} qlora adamw"
        maths = await standin.press(MATHS, reply)
        compared = await standin.press(COMPARE, reply)
        form = await standin.press(EXACT, reply)
    await asking.close()
    assert maths.ephemeral
    assert compared.ephemeral
    assert f"train {LONGEST} full" in str(compared.embeds)
    assert texts(form)["batch"] == "1"
    assert len(hub.asked) == 2


async def test_another_process_asks_the_hub_itself_and_edits_when_it_knows(
    standin: StandIn, hub: HubStandIn
) -> None:
    first, second = Hub(base=hub.base, patience_s=60), Hub(base=hub.base, patience_s=60)
    async with ready(standin, desk=desk_of(first)):
        reply = await (await standin.slash("vram train", QUERY)).finished()
    async with ready(standin, desk=desk_of(second)):
        pressed = await standin.press(SIZE, reply, SELECT, ["bs 4"])
        await reply.until(lambda: line_of(reply).endswith("bs 4"))
    await first.close()
    await second.close()
    assert pressed.type in (UPDATE, LATER)
    assert len(hub.asked) == 4


async def test_a_desk_that_may_not_ask_says_so_and_leaves_the_answer(
    standin: StandIn, hub: HubStandIn
) -> None:
    asking = Hub(base=hub.base, patience_s=60)
    async with ready(standin, desk=desk_of(asking)):
        reply = await (await standin.slash("vram train", QUERY)).finished()
    await asking.close()
    async with ready(standin, desk=desk_of(None)):
        pressed = await standin.press(SIZE, reply, SELECT, ["bs 4"])
    assert pressed.ephemeral
    assert "I know no model called" in pressed.content
    assert line_of(reply) == f"train {LONGEST} lora adamw"


async def test_a_reply_in_words_changes_such_an_answer_too(
    standin: StandIn, hub: HubStandIn
) -> None:
    asking = Hub(base=hub.base, patience_s=60)
    async with ready(standin, desk=desk_of(asking)):
        before = await standin.answer_to(await standin.write(f"@bot train {LONGEST} lora"))
        answer = await standin.answer_to(await standin.write("@bot with qlora", to=before))
        await standin.press(SIZE, answer, SELECT, ["bs 4"])
    await asking.close()
    assert line_of(answer) == f"train {LONGEST} qlora bs 4"
