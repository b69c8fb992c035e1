"""The bot that is called: from its log-in to its end, with the gateway and without."""

import asyncio
import logging
from pathlib import Path

import pytest
from aiohttp import test_utils, web
from nacl.signing import SigningKey

from bot.ask import open_desk
from bot.config import ConfigError
from bot.exits import Exit
from bot.store.chosen import store_in
from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard
from tests.store.opened import opened
from tests.wire.our_bot import CALLBACK, COMMANDS, QUERY, answers, ready
from tests.wire.over_http import begun, called, endpoint, heard, until
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

ME = "/users/@me"


async def test_without_the_gateway_no_session_is_begun(standin: StandIn) -> None:
    async with called(standin) as bot:
        assert bot.supervisor.is_ready()
        assert await answers(standin)
    assert standin.identifies == []
    assert standin.requests_to("/gateway/bot") == []
    assert not bot.supervisor.is_ready()


@pytest.mark.usefixtures("impatient")
async def test_trouble_at_the_gateway_keeps_no_command_from_its_answer(standin: StandIn) -> None:
    async with heard(standin):
        standin.faults.gateway_unavailable.arm()
        await standin.drop()
        async with asyncio.timeout(60):
            while standin.faults.gateway_unavailable.fired < 3:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.05)
        assert await answers(standin)
        standin.faults.clear()
        await standin.ready()
        asked = await standin.write("@bot train 7B adam lora")
        assert (await standin.answer_to(asked, timeout=60)).stored["embeds"]


async def test_commands_are_synced_once(standin: StandIn) -> None:
    async with heard(standin):
        await answers(standin)
    assert len(standin.requests_to(COMMANDS, "PUT")) == 1
    assert len(standin.requests_to(COMMANDS, "GET")) == 1


async def test_until_it_is_logged_in_calls_wait_and_then_are_refused(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.endpoint.receiving.CLIENT_S", 0.1)
    outage = standin.faults.status(503, route=ME, times=None)
    async with begun(standin) as bot:
        assert await standin.caller.try_out(bot.url) == []  # no log-in is needed for that
        exchange = standin.people(check=False).slash("vram train", QUERY)
        assert "503" in await standin.caller.deliver(exchange.interaction, 60)
        assert "nobody was logged in" in caplog.text
        monkeypatch.setattr("bot.endpoint.receiving.CLIENT_S", 60)
        waiting = asyncio.create_task(standin.caller.deliver(exchange.interaction, 60))
        await asyncio.sleep(0)
        outage.clear()
        assert await waiting == ""
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
    assert exchange.status == 200


async def test_another_applications_key_ends_with_78(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    """The client that hears the gateway is ended as well, by the one that cannot go on."""
    other = bytes(SigningKey.generate().verify_key).hex()
    settings = endpoint(standin, public_key=other)
    async with begun(standin, gateway=True, settings=settings) as bot:
        assert await bot.ended() is Exit.CONFIGURATION
    assert "not the key of the application" in caplog.text
    assert "under General Information" in caplog.text


async def test_a_port_that_is_taken_is_said(standin: StandIn) -> None:
    async with called(standin) as bot:
        again = endpoint(standin, port=bot.port)
        with pytest.raises(ConfigError, match=rf"\[endpoint\]: port {bot.port} .* is in use"):
            async with begun(standin, settings=again):
                pass


async def test_it_is_said_where_discord_calls_nobody(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with called(standin):
        assert "Discord has no Interactions Endpoint URL" in caplog.text
    caplog.clear()
    async with begun(standin) as bot:
        await until(bot.supervisor.is_ready)
    assert "Interactions Endpoint URL" not in caplog.text
    assert "interaction endpoint URL" not in caplog.text
    async with ready(standin):  # a bot that is not called, and has an address all the same
        assert "interaction endpoint URL" in caplog.text


async def test_a_stop_finishes_what_is_being_answered(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with called(standin):
        standin.faults.delay(0.5, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        assert await standin.caller.deliver(exchange.interaction, 60) == ""
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
    assert exchange.status == 200
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_server_that_is_left_is_missed_without_the_gateway(
    standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is erased while Discord does not say which ones there are."""
    monkeypatch.setattr("bot.endpoint.client.EVERY_S", 0.02)
    store = await opened(store_in(tmp_path))
    left, stays = 77, int(standin.guild_id)
    for number in (left, stays):
        await store.keep_team(Owner(OwnerKind.GUILD, number), Team((TeamCard("rtx-3090", 1),)))
    outage = standin.faults.status(403, route="/users/@me/guilds", times=None)
    try:
        async with called(standin, desk=open_desk(store=store)):
            await standin.until(lambda: outage.fired > 2, 60)
            assert await store.guilds() == {left, stays}
            outage.clear()
            async with asyncio.timeout(60):
                while left in await store.guilds():  # noqa: ASYNC110  (nobody tells)
                    await asyncio.sleep(0.02)
            assert await store.guilds() == {stays}
    finally:
        await store.database.close()


async def test_the_list_of_servers_has_pages(standin: StandIn) -> None:
    """Who is on the second one is not missed."""
    many = [standin.guild_of_shard(0, 1) for _ in range(450)]
    async with called(standin) as bot:
        listed = await bot.client._listed()  # type: ignore[attr-defined]  # noqa: SLF001
    assert listed == {int(one) for one in (*many, standin.guild_id)}
    assert len(standin.requests_to("/users/@me/guilds")) == 3


@pytest.mark.parametrize(("status", "body"), [(200, '{"type": 1}'), (401, ""), (204, "")])
async def test_discord_takes_no_address_that_looks_at_no_signature(
    standin: StandIn, status: int, body: str
) -> None:
    """The stand-in does as Discord does: whoever answers everything alike is refused."""

    async def same(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/", same)
    async with test_utils.TestServer(app) as server:
        assert await standin.caller.try_out(str(server.make_url("/"))) != []
    assert standin.caller.url is None
