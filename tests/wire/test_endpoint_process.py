"""The program as it is started, called over HTTP: asked, pressed, stopped; and refused."""

import asyncio
from contextlib import suppress
from pathlib import Path

import aiohttp
from aiohttp import test_utils
from nacl.signing import SigningKey

from tests.wire.calling import call
from tests.wire.illustrated import has_picture
from tests.wire.our_bot import QUERY, VERDICT
from tests.wire.standin import StandIn
from tests.wire.test_bot_process import CONFIGURATION, PATIENCE_S, ended, program, settings
from tests.wire.under import EXACT, FORM, HOW, MATHS, SELECT, line_of


def section(standin: StandIn, port: int, more: str = "") -> str:
    """Both sections: what `settings` has, and the endpoint's own."""
    return (
        f"{settings(standin, test_utils.unused_port())}"
        f'[endpoint]\nenabled = true\npublic_key = "{standin.caller.public_key}"\n'
        f'port = {port}\n{more}\n[log]\nlevel = "debug"\n'
    )


async def called(standin: StandIn, url: str) -> None:
    """Give Discord the address, as soon as somebody answers there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(aiohttp.ClientError, TimeoutError):
                await call(url, b"", {})
                break
            await asyncio.sleep(0.05)
    assert await standin.caller.try_out(url, PATIENCE_S) == []


async def test_it_is_asked_pressed_and_stopped(standin: StandIn, tmp_path: Path) -> None:
    port, token = test_utils.unused_port(), {"DISCORD_TOKEN": standin.token}
    standin.settings.answer_within_s = PATIENCE_S
    config = section(standin, port, "gateway = false")
    async with program(tmp_path, config=config, environment=token) as process:
        await called(standin, f"http://127.0.0.1:{port}/interactions")
        await standin.until(lambda: bool(standin.commands), PATIENCE_S)
        typed = await standin.autocomplete("vram train", QUERY, "query")
        reply = await (await standin.slash("vram train", QUERY)).finished(timeout=PATIENCE_S)
        pressed = await standin.press(HOW, reply, SELECT, ["qlora"])
        await reply.until(lambda: line_of(reply) == "train 7B qlora adamw", PATIENCE_S)
        form = await standin.press(EXACT, reply)
        await standin.submit(FORM, {"seq": "4096"})
        maths = await standin.press(MATHS, reply)
        alone = await standin.slash("vram train", {**QUERY, "private": True})
        menu = await standin.context_menu("Estimate this", "train 7B adam lora?")
        await menu.finished(PATIENCE_S)
        await menu.until(lambda: has_picture(menu.message), PATIENCE_S)
        process.terminate()
        status, output = await ended(process)
    assert typed.choices[0]["value"] == QUERY["query"]
    assert reply.embeds[0]["title"]
    assert (pressed.type, form.type) in {(6, 9), (7, 9)}
    assert line_of(reply) == "train 7B qlora adamw seq 4096"
    assert all(each.ephemeral for each in (maths, alone))
    assert menu.embeds[0]["title"].startswith(VERDICT)
    assert set(standin.caller.statuses) == {202}
    assert standin.identifies == []
    assert status == 0
    assert "Traceback" not in output
    tokens = [each.token for each in standin.world.exchanges.by_id.values()]
    assert not [each for each in (standin.token, *tokens, QUERY["query"]) if each in output]


async def test_another_applications_key_is_refused(standin: StandIn, tmp_path: Path) -> None:
    """Also where the gateway would take the bot."""
    other = bytes(SigningKey.generate().verify_key).hex()
    config = section(standin, test_utils.unused_port()).replace(standin.caller.public_key, other)
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=config, environment=token) as process:
        status, output = await ended(process)
    assert status == CONFIGURATION
    assert "not the key of the application that the token is for" in output
    assert "Traceback" not in output
