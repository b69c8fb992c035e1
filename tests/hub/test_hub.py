"""Asked once, remembered, a few at a time, and quiet when the Hub wants it so."""

import asyncio
import logging
from inspect import signature

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.config import Settings
from bot.hub import hub as hub_module
from bot.hub.hub import AT_ONCE, BASE, MOST_WAITING, Hub
from bot.hub.keeping import DAY_S, HOUR_S, MINUTE_S
from bot.hub.later import hub_of
from bot.hub.repository import Missed, Outcome, Reason, Repository
from bot.sections import HubSettings
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn, Wrong, drops, hangs, says

RECORD, CONFIG = "/api/models/", "config.json"
NAME = "some/thing-8b"
TOKEN = "hf_" + "A1b2" * 8


class Clock:
    """Time that passes when a test says so."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def reason(outcome: Outcome | None) -> Reason:
    assert isinstance(outcome, Missed)
    return outcome.reason


def test_the_host_is_fixed() -> None:
    """No setting and no variable names another; only who builds a `Hub` in a test does."""
    assert BASE == "https://huggingface.co"
    assert set(HubSettings.model_fields) == {"enabled", "cache_file"}
    assert list(signature(hub_of).parameters) == ["settings"]


async def test_nobody_is_asked_in_tests_but_a_stand_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("HF_ENDPOINT", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    asking = hub_of(Settings())
    assert reason(await asking.look_up(NAME)) is Reason.OFFLINE
    await asking.close()


async def test_what_was_found_is_asked_for_once(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    assert await hub.recall(NAME) is None
    first = await hub.look_up(NAME)
    assert await hub.look_up(NAME.upper()) == first
    assert await hub.recall(NAME) == first
    assert len(standin.asked) == 2


async def test_the_same_question_at_the_same_time_is_one_request(
    standin: HubStandIn, hub: Hub
) -> None:
    standin.add(NAME, LLAMA)
    found = await asyncio.gather(*(hub.look_up(NAME) for _ in range(20)))
    assert all(isinstance(one, Repository) for one in found)
    assert len(standin.asked) == 2


async def test_who_leaves_takes_nobodys_answer_along(standin: HubStandIn, hub: Hub) -> None:
    go_on = asyncio.Event()

    async def waits(_request: web.Request) -> web.StreamResponse:
        await go_on.wait()
        return web.json_response({"id": NAME})

    standin.add(NAME, LLAMA)
    standin.wrong[RECORD] = waits
    first = asyncio.create_task(hub.look_up(NAME))
    second = asyncio.create_task(hub.look_up(NAME))
    while not standin.asked:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    first.cancel()
    go_on.set()
    assert isinstance(await second, Repository)
    assert first.cancelled() or first.cancelling()


async def test_a_few_are_asked_at_once(standin: HubStandIn, hub: Hub) -> None:
    for number in range(3 * AT_ONCE):
        standin.add(f"some/thing-{number}b", LLAMA)

    async def takes_a_while(request: web.Request) -> web.StreamResponse:
        while standin.most_at_once < AT_ONCE:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)  # so that more could come
        return web.json_response({"id": request.path.removeprefix("/api/models/")})

    standin.wrong[RECORD] = takes_a_while
    names = [f"some/thing-{number}b" for number in range(3 * AT_ONCE)]
    found = await asyncio.gather(*map(hub.look_up, names))
    assert all(isinstance(one, Repository) for one in found)
    assert standin.most_at_once == AT_ONCE


async def test_a_crowd_is_told_so_and_not_kept_waiting(standin: HubStandIn) -> None:
    standin.wrong[RECORD] = hangs
    hub = Hub(base=standin.base, patience_s=0.3)
    names = [f"some/thing-{number}b" for number in range(MOST_WAITING + 5)]
    found = await asyncio.gather(*map(hub.look_up, names))
    await hub.close()
    assert [reason(one) for one in found].count(Reason.BUSY) == 5
    assert reason(await hub.recall(names[0])) is Reason.SLOW
    assert await hub.recall(names[-1]) is None  # to be busy is not remembered


@pytest.mark.parametrize(
    ("wrong", "kept_s"),
    [
        (says(404), HOUR_S),
        (says(401, X_Error_Code="GatedRepo"), 30 * MINUTE_S),
        (says(200, b"no JSON"), 30 * MINUTE_S),
        (says(500), 2 * MINUTE_S),
        (drops, MINUTE_S),
        (None, 7 * DAY_S),
    ],
)
async def test_it_is_believed_for_as_long_as_it_may_hold(
    standin: HubStandIn, wrong: Wrong | None, kept_s: float
) -> None:
    clock = Clock()
    hub = Hub(base=standin.base, clock=clock)
    standin.add(NAME, LLAMA)
    if wrong is not None:
        standin.wrong[RECORD] = wrong
    said = await hub.look_up(NAME)
    clock.now += kept_s - 1
    assert await hub.recall(NAME) == said
    clock.now += 2
    assert await hub.recall(NAME) is None
    await hub.close()


async def test_where_it_is_asked_too_often_nothing_more_is(standin: HubStandIn) -> None:
    clock = Clock()
    hub = Hub(base=standin.base, clock=clock)
    standin.add("other/thing-8b", LLAMA)
    standin.wrong["some/"] = says(429, Retry_After="120")
    await hub.look_up(NAME)
    assert reason(await hub.look_up("other/thing-8b")) is Reason.RATE_LIMITED
    assert len(standin.asked) == 1
    clock.now += 121
    assert isinstance(await hub.look_up("other/thing-8b"), Repository)
    await hub.close()


@pytest.mark.parametrize("told", ["", "-5", "1e9", "99999999", "tomorrow", "٣"])
async def test_no_pause_is_endless(standin: HubStandIn, told: str) -> None:
    clock = Clock()
    hub = Hub(base=standin.base, clock=clock)
    standin.wrong["some/"] = says(429, Retry_After=told)
    await hub.look_up(NAME)
    clock.now += hub_module.LONGEST_PAUSE_S + 1
    assert await hub.recall("other/thing-8b") is None
    await hub.close()


@pytest.mark.parametrize(
    "name",
    [
        "", "thing", "a/b/c", "../etc", "a/..", "some/../thing", "some/th--ing", "-some/thing",
        "some/thing.", "some/thing.git", "some/th ing", "some/th%2Fing", "some/thing?x=1",
        "some/thing#x", "söme/thing", "some\\thing", "some/thing\n", "x" * 97 + "/thing",
        "some/" + "x" * 97, "a" * 70 + "/" + "b" * 70, "some/thing@main", "user:pass@host/thing",
    ],
)  # fmt: skip
async def test_what_is_no_id_is_never_asked_for(standin: HubStandIn, hub: Hub, name: str) -> None:
    assert reason(await hub.look_up(name)) is Reason.MISSING
    assert standin.asked == []


async def test_a_model_that_moved_is_found_under_both_names(standin: HubStandIn, hub: Hub) -> None:
    standin.add("new/thing-8b", LLAMA)
    standin.moved[NAME] = "new/thing-8b"
    found = await hub.look_up(NAME)
    assert isinstance(found, Repository)
    assert (found.id, found.asked) == ("new/thing-8b", NAME)
    assert standin.paths()[-1].startswith("/new/thing-8b/resolve/")


async def test_a_small_file_may_lie_elsewhere_on_the_host(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    standin.add("cache/of-files", LLAMA)
    standin.wrong["some/thing-8b/resolve"] = says(
        307, Location="/cache/of-files/resolve/main/config.json"
    )
    assert isinstance(await hub.look_up(NAME), Repository)


async def test_nothing_tells_who_asks(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    await hub.look_up(NAME)
    for asked in standin.asked:
        assert "Authorization" not in asked.headers
        assert "Cookie" not in asked.headers
        assert asked.headers["User-Agent"] == "vram-bot"
    assert set(standin.asked[0].query) >= {"safetensors", "gguf", "gated", "sha"}


async def test_a_token_shows_what_is_gated(standin: HubStandIn) -> None:
    standin.token = TOKEN
    standin.add(NAME, LLAMA).gated = True
    hub = Hub(base=standin.base, token=SecretStr(TOKEN))
    found = await hub.look_up(NAME)
    await hub.close()
    assert isinstance(found, Repository)
    assert found.gated
    assert found.config is not None
    assert all(one.headers["Authorization"] == f"Bearer {TOKEN}" for one in standin.asked)


async def test_a_token_never_leaves_the_host(standin: HubStandIn) -> None:
    hub = Hub(base=standin.base, token=SecretStr(TOKEN))
    async with HubStandIn() as other:
        standin.wrong[RECORD] = says(302, Location=f"{other.base}/api/models/{NAME}")
        await hub.look_up(NAME)
        assert other.asked == []
    await hub.close()


async def test_a_token_that_is_refused_is_left_out(
    standin: HubStandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuses(request: web.Request) -> web.StreamResponse:
        if "Authorization" in request.headers:
            return web.Response(status=401)
        return web.json_response({"id": NAME})

    standin.add(NAME, LLAMA)
    standin.wrong[RECORD] = refuses
    hub = Hub(base=standin.base, token=SecretStr(TOKEN))
    with caplog.at_level(logging.DEBUG):
        found = await hub.look_up(NAME)
    await hub.close()
    assert isinstance(found, Repository)
    assert "does not accept HF_TOKEN" in caplog.text
    assert TOKEN not in caplog.text


async def test_nothing_that_is_asked_is_logged(
    standin: HubStandIn, hub: Hub, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for wrong in (drops, says(500), says(200, b"x"), says(429)):
            standin.wrong[RECORD] = wrong
            await Hub(base=standin.base).look_up(NAME)
    await hub.look_up(NAME)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("bot.")]
    assert ours
    assert "thing-8b" not in " ".join(ours)


async def test_a_mistake_of_this_program_is_an_answer_too(
    standin: HubStandIn, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(*_: object) -> Repository:
        raise ZeroDivisionError

    monkeypatch.setattr("bot.hub.hub.visit", breaks)
    assert reason(await hub.look_up(NAME)) is Reason.MALFORMED
    assert standin.asked == []


async def test_a_stop_lets_go_of_what_is_under_way(standin: HubStandIn, hub: Hub) -> None:
    standin.wrong[RECORD] = hangs
    task = asyncio.create_task(hub.look_up(NAME))
    while not standin.asked:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    await hub.close()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_a_config_does_not_say_the_record_may(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA, counts={"BF16": LLAMA_COUNT}).record = {
        "cardData": {"license": "apache-2.0", "base_model": ["one/a", "two/b"]},
        "pipeline_tag": "text-generation",
    }
    found = await hub.look_up(NAME)
    assert isinstance(found, Repository)
    assert (found.licence, found.kind, found.base) == ("apache-2.0", "text-generation", "")
    assert found.counts == {"BF16": LLAMA_COUNT}
