"""What a picture looks like on a message, and how often one was put there."""

import asyncio
import logging

import pytest

from tests.wire.messages import Message
from tests.wire.our_bot import QUERY, VERDICT
from tests.wire.people import Json
from tests.wire.standin import Reply, StandIn

QUESTION = "@bot train 7B adam lora"
POST = "/channels/{channel}/messages"
EDIT = "/channels/{channel}/messages/{mid}"
WEBHOOK = "/webhooks/{app}/{token}/messages/{mid}"


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
    """Whether its one embed shows its one file; it has none before the answer is there."""
    if not stored["embeds"]:
        return False
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


async def answered(standin: StandIn, *, posts: bool) -> Message:
    """The message of an answer, without its picture."""
    if posts:
        return await standin.answer_to(await standin.write(QUESTION))
    stored = (await asked(standin)).stored
    assert stored is not None
    return stored
