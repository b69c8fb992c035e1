"""Every call that carries a message says that nobody is pinged by it, whatever it says."""

from collections.abc import Iterator
from typing import Any

from bot.cooldown import Cooldowns
from tests.wire.our_bot import QUERY, ready
from tests.wire.standin import StandIn, Where
from tests.wire.under import EXACT, FORM, HOW, MATHS, SELECT, values

WITHOUT_MESSAGE = (6, 8, 9)  # an edit that is announced, a list, a form
SHOWN = ("content", "embeds")


def messages(body: object) -> Iterator[dict[str, Any]]:
    """What a body sends or edits as a message."""
    match body:
        case {"type": int(kind), "data": dict(data)} if kind not in WITHOUT_MESSAGE:
            yield data
        case dict() if any(key in body for key in SHOWN):
            yield body


async def test_every_message_pings_nobody(standin: StandIn, unhurried: None) -> None:
    del unhurried
    harm = "train 7B @everyone <@&1> <#2> lora frobnicate"
    async with ready(standin):
        answer = await standin.slash("vram train", QUERY)
        await standin.slash("vram train", {"query": harm})
        await standin.slash("vram help", {})
        await standin.slash("vram oom", {"query": harm})
        await standin.slash("vram explain", {"topic": harm[:90]}, check=False)
        await standin.press(HOW, answer, SELECT, values(answer, HOW)[:1])
        await standin.press(MATHS, answer)
        await standin.press(EXACT, answer)
        await standin.submit(FORM, {"batch": "@everyone"}, answer)
        await standin.context_menu("Estimate this", harm)
        for where in (Where.GUILD, Where.BOT_DM):
            await standin.answer_to(await standin.write(f"@bot {harm}", where=where), timeout=60)
    async with ready(standin, cooldowns=Cooldowns(2, 0)):
        for _ in range(2):
            await standin.slash("vram train", QUERY)
    found = [one for request in standin.requests for one in messages(request.body)]
    assert len(found) >= 13
    assert [one for one in found if one.get("allowed_mentions", {}).get("parse") != []] == []
    assert not any(one["allowed_mentions"].get("users") for one in found)
    assert not any(one["allowed_mentions"].get("roles") for one in found)
