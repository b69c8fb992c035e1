"""A queue says when a shard may begin: asked over a socket, waited for, and done without."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import test_utils, web

from bot.pace import Pace
from bot.queueing import MOST_WAITS, ServiceQueue, StoreQueue
from bot.store.chosen import store_in
from tests.store.opened import opened
from tests.wire.our_bot import answers, started
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("lenient")

DOWN = "the queue that says when shards begin is down"


@dataclass
class Service:
    """A queue service; nobody may go before `open` is set."""

    status: int = 200
    asked: list[str] = field(default_factory=list)
    open: asyncio.Event = field(default_factory=asyncio.Event)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    address: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.query["shard"])
        self.came.set()
        await self.open.wait()
        return web.Response(status=self.status, text='{"message": "go"}')


@asynccontextmanager
async def serving(service: Service) -> AsyncIterator[Service]:
    """Answer on a port of this machine."""
    app = web.Application()
    app.router.add_get("/", service.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    service.address = "http://{}:{}".format(*runner.addresses[0][:2])
    try:
        yield service
    finally:
        service.open.set()
        await runner.cleanup()


def asking(address: str) -> Pace:
    return Pace(an_hour=100_000, gap_s=0, queue=ServiceQueue(address))


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow one another without a pause."""
    monkeypatch.setattr("bot.queueing.PAUSES_S", (0.0, 0.0))


async def test_each_shard_waits_for_its_answer(standin: StandIn) -> None:
    standin.settings.shards = 2
    async with serving(Service()) as service, started(standin, pace=asking(service.address)):
        await standin.until(lambda: bool(standin.connections), 60)
        await service.came.wait()
        assert standin.identifies == []
        service.open.set()
        await standin.ready(sessions=2, timeout=60)
        assert service.asked == ["0", "1"]
        assert [identify.shard for identify in standin.identifies] == [(0, 2), (1, 2)]
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 2, 60)
    assert len(service.asked) == 2  # who goes on with a session needs no turn


@pytest.mark.parametrize("how", ["nobody there", "out of order", "elsewhere"])
async def test_one_that_is_down_is_done_without(
    standin: StandIn, hurried: None, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    del hurried
    status = {"out of order": 503, "elsewhere": 302}.get(how, 200)
    async with serving(Service(status=status)) as service:
        service.open.set()
        gone = f"http://127.0.0.1:{test_utils.unused_port()}"
        address = gone if how == "nobody there" else service.address
        async with started(standin, pace=asking(address)):
            await standin.ready(timeout=60)
            assert await answers(standin)
    assert DOWN in caplog.text
    assert "this one goes alone" in caplog.text


async def test_one_that_never_answers_is_done_without_after_some_time(
    standin: StandIn,
    hurried: None,
    impatient: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    del hurried, impatient
    monkeypatch.setattr("bot.connected.IN_HOOK_S", 0.05)
    async with serving(Service()) as service, started(standin, pace=asking(service.address)):
        await standin.ready(timeout=60)
        assert await answers(standin)
    assert len(service.asked) >= MOST_WAITS
    assert f"{DOWN} (it answers nothing)" in caplog.text


async def test_processes_share_a_store(standin: StandIn, tmp_path: Path) -> None:
    """Two, with a half of the shards each."""
    stores = [await opened(store_in(tmp_path)) for _ in range(2)]
    paces = [Pace(an_hour=3600, gap_s=0.05, queue=StoreQueue(one.database)) for one in stores]
    standin.settings.shards = 4
    async with (
        started(standin, pace=paces[0], shard_count=4, shard_ids=(0, 1)),
        started(standin, pace=paces[1], shard_count=4, shard_ids=(2, 3)),
    ):
        await standin.ready(sessions=4, timeout=60)
        for shard in range(4):
            assert await answers(standin, guild_id=standin.guild_of_shard(shard, 4))
    for store in stores:
        await store.database.close()
    assert {one.shard for one in standin.identifies} == {(shard, 4) for shard in range(4)}


async def test_a_store_that_is_down_is_done_without(
    standin: StandIn, tmp_path: Path, hurried: None, caplog: pytest.LogCaptureFixture
) -> None:
    del hurried
    store = store_in(tmp_path / "nowhere")
    pace = Pace(an_hour=100_000, gap_s=0, queue=StoreQueue(store.database))
    async with started(standin, pace=pace):
        await standin.ready(timeout=60)
        assert await answers(standin)
    await store.database.close()
    assert f"{DOWN} (the store: gone)" in caplog.text
