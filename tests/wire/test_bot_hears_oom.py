"""Out-of-memory messages that are pasted where the bot hears them."""

import pytest

from tests.wire.our_bot import ready
from tests.wire.standin import StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

OOM = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of "
    "which 1.00 GiB is free."
)


@pytest.mark.parametrize("where", [Where.GUILD, Where.BOT_DM])
async def test_a_pasted_message_is_explained(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {OOM}", where=where))
    assert "2.00 GiB" in str(answer.stored["embeds"])


async def test_a_message_below_an_answer_is_explained_by_what_ran(standin: StandIn) -> None:
    async with ready(standin):
        before = await standin.answer_to(await standin.write("@bot train 7B full on a 3090"))
        answer = await standin.answer_to(await standin.write(OOM, to=before))
    lines = answer.stored["embeds"][0]["fields"][-1]["value"].splitlines()
    assert lines[-1] == "`/vram train 7B full, rtx-3090`"


async def test_a_mention_below_somebodys_message_is_no_answer_to_it(standin: StandIn) -> None:
    """Discord does not tell what others say to each other, also where a reply shows it."""
    async with ready(standin):
        other = await standin.write(OOM, by=standin.person("bob"))
        answer = await standin.answer_to(await standin.write("@bot", to=other))
    assert answer.stored["embeds"] == []
    assert "Mention me" in answer.stored["content"]
