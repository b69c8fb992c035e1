"""`/metrics` over sockets: what was asked stands there, and nothing of who asked or what."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, test_utils
from prometheus_client.parser import text_string_to_metric_families

from bot.ops.health import serve_health
from bot.ops.metrics import COUNTERS, HISTOGRAMS
from bot.sections import HealthSettings
from tests.wire.faults import CALLBACK
from tests.wire.our_bot import Running, ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

SECRET = "zqxjkv"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture(autouse=True)
def from_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test counts for itself."""
    for metric in (*COUNTERS, *HISTOGRAMS):
        monkeypatch.setattr(metric, "values", {})


@pytest.fixture
async def bot(standin: StandIn) -> AsyncIterator[Running]:
    async with ready(standin) as running:
        yield running


async def scraped(running: Running) -> tuple[str, Samples]:
    """The page, and its samples by name and labels."""
    port, supervisor = test_utils.unused_port(), running.supervisor
    settings = HealthSettings(port=port)
    async with (
        serve_health(settings, supervisor.is_ready, supervisor.vitals),
        ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as response,
    ):
        assert response.status == 200
        assert response.headers["Content-Type"].startswith("text/plain; version=")
        page = await response.text()
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }
    return page, samples


def asked(samples: Samples) -> dict[tuple[str, str, str], float]:
    """The counts of what was asked, by kind, command and outcome."""
    return {
        (dict(labels)["kind"], dict(labels)["command"], dict(labels)["outcome"]): value
        for (name, labels), value in samples.items()
        if name == "vram_interactions_total"
    }


async def test_what_was_asked_is_counted(
    standin: StandIn, bot: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = await standin.slash("vram train", {"query": "7B adam lora"})
    await standin.slash("vram train", {"query": f"7B lora {SECRET}={SECRET}"})
    await standin.autocomplete("vram train", {"query": "7B lo"}, "query")
    await standin.press("v1:maths", reply)
    asking = await standin.write("@bot 7B lora")
    await standin.answer_to(asking, timeout=60)
    await standin.write("hello all")  # to nobody here
    monkeypatch.setattr("bot.commands.help.help_embed", lambda *_: 1 / 0)
    await standin.slash("vram help")
    standin.faults.refuse_callback(10062)
    late = standin.people().slash("vram train", {"query": "7B lora"})
    await standin.dispatch("INTERACTION_CREATE", late.interaction)
    await standin.until(lambda: not standin.faults.rest[-1].switch.left)
    await standin.slash("vram train", {"query": "13B lora"})
    page, samples = await scraped(bot)
    assert asked(samples) == {
        ("command", "train", "answered"): 2,
        ("command", "train", "refused"): 1,
        ("command", "train", "too_late"): 1,
        ("command", "help", "failed"): 1,
        ("list", "train", "answered"): 1,
        ("press", "maths", "answered"): 1,
        ("message", "message", "answered"): 1,
    }
    assert SECRET not in page
    assert not any(person in page for person in (standin.someone.id, standin.world.guilds[0]))
    assert samples["vram_answer_seconds_count", (("kind", "command"),)] == 4
    assert samples["vram_answer_seconds_bucket", (("kind", "command"), ("le", "+Inf"))] == 4
    (unread,) = [key for key in samples if key[0] == "vram_unread_questions_total"]
    assert samples[unread] == 1
    callbacks = (("method", "POST"), ("route", CALLBACK))
    assert samples["vram_discord_requests_total", (*callbacks, ("status", "2xx"))] == 6
    assert samples["vram_discord_requests_total", (*callbacks, ("status", "4xx"))] == 1


async def test_sessions_and_shards_are_counted(standin: StandIn, bot: Running) -> None:
    await standin.close_gateway(4000)
    await standin.until(lambda: len(standin.resumes) == 1)
    await standin.ready()
    samples: Samples = {}
    async with asyncio.timeout(60):
        while not samples.get(("vram_shards_ready", ())):
            _, samples = await scraped(bot)
    assert samples["vram_gateway_identifies_total", ()] == 1
    assert samples["vram_gateway_resumes_total", ()] == 1
    assert samples["vram_gateway_drops_total", (("code", "4000"),)] == 1
    assert samples["vram_shards_known", ()] == samples["vram_shards_ready", ()] == 1
    assert samples["process_resident_memory_bytes", ()] > 0
    (build,) = [dict(labels) for name, labels in samples if name == "vram_build_info"]
    assert set(build) == {"version", "discord_py", "python"}


async def test_a_limit_of_discords_is_counted(standin: StandIn, bot: Running) -> None:
    standin.faults.rate_limit(0.01, route=CALLBACK)
    await standin.slash("vram train", {"query": "7B lora"})
    _, samples = await scraped(bot)
    assert samples["vram_discord_rate_limited_total", (("route", CALLBACK),)] == 1


async def test_it_can_be_switched_off(bot: Running) -> None:
    port, supervisor = test_utils.unused_port(), bot.supervisor
    async with (
        serve_health(HealthSettings(port=port, metrics=False), supervisor.is_ready),
        ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as response,
    ):
        assert response.status == 404
