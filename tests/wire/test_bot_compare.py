"""`/vram compare` through the socket, with lines that mean no good: each is answered."""

import pytest

from tests.wire.our_bot import ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

HOSTILE = {  # and a word that the answer must hold
    "vs vs vs or or": "Which model",
    "compare compare compare 7B lora": "usual methods",
    "lora vs lora 7B": "usual methods",
    "7B vs 7B lora": "itself",
    "7B lora vs frobnicate": "frobnicate",
    "bs 1/2/3/4/5/6/7/8/9 7B lora": "9 things",
    "7B 8B 13B lora qlora full": "9 things",
    "7B lora bs 1 vs -2": "-2",
    "7B lora bs 1 vs 0.5": "0.5",
    "7B lora bs 1 vs 99999999999": "65,536",
    "7B lora users 1 vs 4": "users 1",
    "gpt-4 vs llama 8b": "gpt-4",
    "foo/bar-7b vs baz/qux-13b": "foo/bar-7b",
    "@everyone vs @here 7B": "To train it",
    "**7B** vs ||13B|| `lora`": "13B",
    "7B vs 13B \u202elora": "13B",
    "{0} vs %s 7B lora": "no parameters",
    "1 vs 2": "What is",
    "3090 vs 4090": "Which model",
    "lora vs qlora 7B 3090 150% in use": "nothing is left",
    "vs " * 300: "Which model",
    "7B or " * 150 + "13B lora": "13B",
}


@pytest.mark.parametrize("line", HOSTILE)
async def test_whatever_is_compared_is_answered(standin: StandIn, line: str) -> None:
    async with ready(standin):
        reply = await standin.slash("vram compare", {"query": line})
    parts = [reply.content]
    for embed in reply.embeds:
        parts += [embed.get("title", ""), embed.get("description", "")]
        parts += [field["value"] for field in embed["fields"]]
    assert HOSTILE[line] in "\n".join(parts)
    assert reply.ephemeral is not bool(reply.embeds)
