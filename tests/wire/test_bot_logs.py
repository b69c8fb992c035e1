"""The log of the real client, at its loudest: ids that lead to an incident, and no questions."""

import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from bot.ops.logs import set_up_logging
from bot.sections import LogFormat, LogLevel, LogSettings
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

ASKED = "zqxjkv"
STRANGE = (
    f"7B lora {ASKED}",
    f"{ASKED}/{ASKED}-8b",
    f"7B lora\n2026-01-01T00:00:00.000Z ERROR bot: {ASKED}",
    f"\x1b[31m{ASKED}\x1b[0m 7B bs {ASKED}",
    f"{{}}%s%d{ASKED}{{0}}",
    f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {ASKED} GiB",
    f"7B vs {ASKED} vs {'9' * 400}",
    f"why {ASKED}?\u202e\u2028{ASKED}",
)
RAISES = (ValueError, KeyError)


@pytest.fixture(params=LogFormat)
def stream(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[io.StringIO]:
    monkeypatch.setattr(logging, "lastResort", None)
    written = io.StringIO()
    with set_up_logging(LogSettings(level=LogLevel.DEBUG, format=request.param), stream=written):
        yield written


async def test_no_question_is_written_whatever_becomes_of_it(
    standin: StandIn, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ready(standin):
        for text in STRANGE:
            await standin.slash("vram train", {"query": text}, check=False)
            await standin.autocomplete("vram train", {"query": text}, "query", check=False)
            await standin.slash("vram explain", {"topic": text[:100]}, check=False)
            await standin.slash("vram team", {"query": text[:100]}, check=False)
            await standin.context_menu("Estimate this", text)
        reply = await standin.slash("vram train", {"query": "7B lora"})
        for kind in RAISES:

            def fails(_desk: object, text: str, *_: object, kind: type[Exception] = kind) -> None:
                raise kind(text) from ExceptionGroup(text, [ValueError(text)])

            monkeypatch.setattr("bot.ask.Desk.begin", fails)
            for text in STRANGE[:4]:
                await standin.slash("vram train", {"query": text}, check=False)
                await standin.autocomplete("vram train", {"query": text}, "query", check=False)
                await standin.context_menu("Estimate this", text)
            await standin.submit("v1:form", {"line": ASKED}, reply, check=False)
            await standin.answer_to(await standin.write(f"@bot 7B {ASKED}"), timeout=60)
        damaged = standin.interaction(2, {"name": ASKED, "options": ASKED, "id": "1", "type": 1})
        await standin.ask({**damaged, "type": 2, "data": {"name": {ASKED: ASKED}}})
    assert "incident" in stream.getvalue()
    assert ASKED not in stream.getvalue()


async def test_the_number_of_an_incident_leads_to_all_that_was_logged_of_it(
    standin: StandIn, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.help.help_embed", lambda *_: 1 / 0)
    async with ready(standin):
        standin.faults.cut()
        reply = await standin.slash("vram help", timeout=60)
    (number,) = re.findall(r"`([0-9a-f]{8})`", reply.content)
    lines = [line for line in stream.getvalue().splitlines() if number in line]
    assert any("ZeroDivisionError" in line and "help_embed" in line for line in lines)
    assert any("did not get through" in line for line in lines)
    if lines[0].startswith("{"):
        assert {json.loads(line)["id"] for line in lines} == {number}
        assert {json.loads(line)["shard"] for line in lines} == {0}
