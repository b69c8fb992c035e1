"""REST that misbehaves, and what the real client makes of it."""

import aiohttp
import discord
import pytest

from tests.wire.bare_client import BareClient
from tests.wire.errors import Unanswered
from tests.wire.faults import CALLBACK
from tests.wire.standin import StandIn
from tests.wire.tiny_bot import TinyBot, running

QUERY = {"query": "7B"}
ME = "/users/@me"


async def test_a_rate_limit_is_waited_for(standin: StandIn, tiny: TinyBot) -> None:
    standin.faults.rate_limit(0.02, route=CALLBACK)
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert [each.status for each in standin.requests_to(CALLBACK)] == [429, 200]
    assert tiny.failures.empty()


async def test_a_ban_is_not(standin: StandIn, tiny: TinyBot) -> None:
    standin.faults.rate_limit(0.02, route=CALLBACK, via=False)
    with pytest.raises(Unanswered):
        await standin.slash("vram train", QUERY, timeout=0.1)
    assert isinstance(await tiny.failure(), discord.HTTPException)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_an_outage_is_tried_again(standin: StandIn, tiny: TinyBot, status: int) -> None:
    standin.faults.status(status, route=CALLBACK, times=2)
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert [each.status for each in standin.requests_to(CALLBACK)] == [status, status, 200]
    assert tiny.failures.empty()


@pytest.mark.usefixtures("impatient")
async def test_a_page_in_place_of_json_is_survived(standin: StandIn, tiny: TinyBot) -> None:
    standin.faults.html(502, route=CALLBACK)
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert tiny.failures.empty()


async def test_a_cut_before_the_answer_counts_loses_it(standin: StandIn, tiny: TinyBot) -> None:
    standin.faults.cut()
    with pytest.raises(Unanswered):
        await standin.slash("vram train", QUERY, timeout=0.1)
    assert isinstance(await tiny.failure(), aiohttp.ClientConnectionError)
    assert (await standin.slash("vram train", QUERY)).type == 4


async def test_a_cut_after_it_counts_does_not(standin: StandIn, tiny: TinyBot) -> None:
    standin.faults.cut(after=True)
    reply = await standin.slash("vram train", QUERY)
    assert reply.type == 4
    assert isinstance(await tiny.failure(), aiohttp.ClientConnectionError)
    assert standin.requests_to(CALLBACK)[0].status is None


async def test_a_retry_after_a_cut_finds_it_answered(standin: StandIn, bare: BareClient) -> None:
    exchange = standin.people().open(2, {"id": "1", "name": "a", "type": 1})
    standin.faults.cut(after=True)
    with pytest.raises(aiohttp.ClientConnectionError):
        await bare.rest.answer(exchange, 4, {"content": "x"})
    status, body = await bare.rest.answer(exchange, 4, {"content": "x"})
    assert (status, body["code"]) == (400, 40060)


async def test_an_answer_that_is_held_up_comes_too_late(standin: StandIn, tiny: TinyBot) -> None:
    standin.settings.answer_within_s = 0.1
    standin.faults.delay(0.15, route=CALLBACK)
    with pytest.raises(Unanswered):
        await standin.slash("vram train", QUERY)
    failure = await tiny.failure()
    assert isinstance(failure, discord.NotFound)
    assert failure.code == 10062


@pytest.mark.parametrize(("code", "status"), [(10062, 404), (40060, 400)])
async def test_an_answer_can_be_refused_without_reason(
    standin: StandIn, tiny: TinyBot, code: int, status: int
) -> None:
    standin.faults.refuse_callback(code)
    with pytest.raises(Unanswered):
        await standin.slash("vram train", QUERY, timeout=0.1)
    failure = await tiny.failure()
    assert isinstance(failure, discord.HTTPException)
    assert (failure.code, failure.status) == (code, status)


async def test_a_login_can_fail(standin: StandIn) -> None:
    standin.faults.status(503, route=ME, times=None)
    async with running(standin, TinyBot(shard_count=1)) as started:
        with pytest.raises(discord.DiscordServerError):
            await started
    standin.faults.clear()
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
