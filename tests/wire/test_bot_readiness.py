"""Readiness over sockets: a shard is ready while its heartbeats are acknowledged."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from aiohttp import ClientSession, test_utils

from bot.ops.health import serve_health
from bot.sections import HealthSettings
from tests.wire.faults import Switch
from tests.wire.our_bot import Running, ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("lenient")

HEARTBEAT_MS = 100
GRACE_S = 0.5
PATIENCE_S = 60


@pytest.fixture
def quick(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    standin.settings.heartbeat_ms = HEARTBEAT_MS
    standin.settings.heartbeat_grace_s = PATIENCE_S
    monkeypatch.setattr("bot.ops.shards.GRACE_S", GRACE_S)


async def readiness(port: int) -> tuple[int, dict[str, object]]:
    """What `/readyz` answers."""
    async with (
        ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/readyz") as response,
    ):
        return response.status, json.loads(await response.read())


async def until_ready(port: int, *, is_ready: bool) -> dict[str, object]:
    """The body, once `/readyz` says so."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            status, body = await readiness(port)
            if (status == 200) is is_ready:
                return body


def silent(standin: StandIn) -> Switch:
    return standin.faults.silent


def never_ack(standin: StandIn) -> Switch:
    return standin.faults.never_ack


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", [silent, never_ack])
async def test_a_peer_that_acknowledges_nothing_is_not_ready_before_discord_py_leaves_it(
    standin: StandIn, fault: Callable[[StandIn], Switch]
) -> None:
    port = test_utils.unused_port()
    async with ready(standin, shard_count=2) as running, served(running, port):
        await standin.ready(sessions=2)
        body = await until_ready(port, is_ready=True)
        assert body["shards"] == {"known": 2, "ready": 2, "not_ready": []}
        fault(standin).arm()
        body = await until_ready(port, is_ready=False)
        assert "Not connected" in str(body["says"])
        shards = body["shards"]
        assert isinstance(shards, dict)
        assert shards["known"] == 2
        for one in shards["not_ready"]:
            assert one["why"].startswith("its heartbeats are not acknowledged: ")
        assert not any(shard.is_closed() for shard in running.client.shards.values())
        assert len(standin.identifies) == 2
        fault(standin).clear()
        await until_ready(port, is_ready=True)
        assert (len(standin.identifies), standin.resumes) == (2, [])


async def test_a_shard_without_a_session_is_named(standin: StandIn) -> None:
    port = test_utils.unused_port()
    async with ready(standin) as running, served(running, port):
        standin.faults.gateway_unavailable.arm()
        await standin.drop()
        body = await until_ready(port, is_ready=False)
        standin.faults.clear()
    assert body["shards"] == {
        "known": 1,
        "ready": 0,
        "not_ready": [{"shard": 0, "why": "it has no session"}],
    }


def served(running: Running, port: int) -> AbstractAsyncContextManager[None]:
    supervisor = running.supervisor
    return serve_health(HealthSettings(port=port), supervisor.is_ready, supervisor.vitals)
