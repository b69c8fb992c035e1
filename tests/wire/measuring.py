"""What tests of measured peaks share: what is typed, and what is said."""

from typing import Any

from tests.wire.people import Json
from tests.wire.reply import Reply
from tests.wire.standin import StandIn
from tests.wire.under import stored

ASKED = {"query": "7B adam lora", "peak": "15.9 GiB"}
VERDICT = "3.8% more than estimated, inside the range"
ANNOUNCED = 5  # the type of a reply that comes later


async def typed(standin: StandIn, options: Json, **who: Any) -> Reply:  # noqa: ANN401  (as StandIn)
    """The answer of `/vram measured`."""
    return await (await standin.slash("vram measured", options, **who)).finished()


def said(reply: Reply) -> str:
    """All words of a reply."""
    embeds = stored(reply).get("embeds") or []
    fields = [f"{f['name']}\n{f['value']}" for one in embeds for f in one.get("fields", [])]
    heads = [f"{one.get('title')}\n{one.get('description')}" for one in embeds]
    return "\n".join([reply.content, *heads, *fields])


async def count(standin: StandIn, **who: Any) -> str:  # noqa: ANN401  (as StandIn)
    """The headline of the list."""
    return str((await typed(standin, {"query": "list"}, **who)).embeds[0]["title"])
