"""What holds for every call of the REST API: who may call, how often, and what headers say."""

import aiohttp
import pytest

from tests.wire.bare_client import BareClient
from tests.wire.standin import StandIn

ME = "/users/@me"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, (200, None)),
        ({"Authorization": "Bot a.b.c"}, (401, 0)),
        ({"User_Agent": "curl"}, (403, 40333)),
    ],
)
async def test_a_call_needs_the_token_and_a_name(
    standin: StandIn, bare: BareClient, headers: dict[str, str], expected: tuple[int, int | None]
) -> None:
    status, body = await bare.rest.call("GET", "/users/@me", **headers)
    assert (status, body.get("code")) == expected
    assert standin.invalid_requests == (status != 200)


async def test_a_route_that_is_not_there_is_said_loudly(standin: StandIn, bare: BareClient) -> None:
    status, body = await bare.rest.call("POST", "/channels/1/typing", {})
    assert (status, body["code"]) == (404, 0)
    assert "/channels/1/typing" in standin.expect_violations()[0]


async def test_what_is_no_json_is_refused(standin: StandIn, bare: BareClient) -> None:
    exchange = standin.people().open(2, {"id": "1", "name": "a", "type": 1})
    path = f"/interactions/{exchange.id}/{exchange.token}/callback"
    status, body = await bare.rest.call("POST", path, "{no json")
    assert (status, body["code"]) == (400, 50109)
    wrongs: tuple[object, ...] = ([], {"data": {}})
    for wrong in wrongs:
        status, body = await bare.rest.call("POST", path, wrong)
        assert (status, body["code"]) == (400, 50035)
    assert len(standin.expect_violations()) == 3


async def test_fifty_calls_a_second_are_enough(standin: StandIn, bare: BareClient) -> None:
    statuses = [(await bare.rest.call("GET", "/users/@me"))[0] for _ in range(51)]
    assert statuses == [200] * 50 + [429]
    standin.clock.skip(1)
    assert (await bare.rest.call("GET", "/users/@me"))[0] == 200
    standin.expect_violations()


async def test_a_bucket_that_is_spent_says_so(standin: StandIn, bare: BareClient) -> None:
    fault = standin.faults.spend_bucket(0.05, route=ME)
    address = standin.api_base + ME
    headers = {"Authorization": f"Bot {standin.token}", "User-Agent": "DiscordBot (x, 1)"}
    remaining = []
    async with aiohttp.ClientSession(headers=headers) as http:
        for _ in range(2):
            async with http.get(address) as response:
                assert response.headers["Content-Type"] == "application/json"
                remaining.append(response.headers["X-RateLimit-Remaining"])
                assert float(response.headers["X-RateLimit-Reset-After"]) > 0
                assert response.headers["X-RateLimit-Bucket"]
    assert remaining == ["0", "49"]
    assert fault.fired == 1
    assert (await bare.rest.call("GET", ME))[0] == 200


async def test_the_global_limit_says_so(standin: StandIn, bare: BareClient) -> None:
    standin.faults.rate_limit(1.5, everywhere=True)
    status, body = await bare.rest.call("GET", ME)
    assert (status, body["global"], body["retry_after"]) == (429, True, 1.5)
    assert standin.invalid_requests == 1
