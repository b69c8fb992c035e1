"""Every call that the bot makes, under every fault of Discord's REST API: no answer is lost.

The first answer to an interaction has three seconds. Where its route is out of order for the first
two of them, it gets through in the third. All else has longer.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import islice

import pytest

from bot.delivery import FIRST, LATER, Patience
from bot.hub.hub import Hub
from tests.hub.desk import desk_of
from tests.hub.standin import HubStandIn
from tests.wire.callbacks import Exchange
from tests.wire.faults import Cut, Delay, Harm, Html, Status, TooMany
from tests.wire.illustrated import EDIT, POST, WEBHOOK, answered, has_picture
from tests.wire.our_bot import CALLBACK, COMMANDS, QUERY, answers, ready, started
from tests.wire.painters import Held
from tests.wire.reply import Reply
from tests.wire.standin import BUTTON, StandIn
from tests.wire.under import COPY

# Of each three seconds the route is out of order for two. All clocks go slower by so much, also
# the bot's: the order of its tries is tested, and not this machine.
SLOWER = 3
OUT_S = 1.9 * SLOWER
SLOW_S = 2.9  # each call
LONG_S = 120
ORIGINAL = WEBHOOK.replace("{mid}", "@original")
FOLLOW_UP = "/webhooks/{app}/{token}"

HARMS: dict[str, Harm] = {
    **{str(status): Status(status) for status in (500, 502, 503, 504)},
    "cut": Cut(after=False),
    "cut, unheard": Cut(after=True),
    "limited": TooMany(0.3, via=True, everywhere=False),
    "limited, all calls": TooMany(0.3, via=True, everywhere=True),
    "limited by Cloudflare": TooMany(0.3, via=False, everywhere=False),
    "limited for long": TooMany(30, via=True, everywhere=False),
    "banned by Cloudflare": TooMany(1800, via=False, everywhere=False),
    "a page": Html(200),
    "a page of an error": Html(502),
    "a page without a limit": Html(429),
}
SILENT: dict[str, Harm] = {"silent": Delay(60, after=False), "unheard": Delay(60, after=True)}
SHORT = {name: harm for name, harm in HARMS.items() if "long" not in name and "ban" not in name}


def interactions(standin: StandIn, answer: Reply) -> dict[str, Exchange]:
    """One of each kind, not sent yet; those that are quickly answered."""
    people = standin.people()
    damaged = people.slash("vram help", {})
    del damaged.interaction["version"]
    return {
        "a command": people.slash("vram help", {}),
        "a list": people.autocomplete("vram team", {"query": "sho"}, "query"),
        "a press": people.press(COPY, answer.stored, BUTTON, None),
        "what cannot be parsed": damaged,
    }


async def gets_through(standin: StandIn, exchange: Exchange, harm: Harm) -> bool:
    """Whether a first answer does where its route is harmed for the first two seconds."""
    fault = standin.faults.arm(harm, route=CALLBACK, times=None, about=exchange.id)
    await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
    await standin.until(lambda: bool(fault.fired), 60, "a first try")
    await asyncio.sleep(OUT_S)
    fault.clear()
    with suppress(TimeoutError):
        await exchange.changed.until(lambda: exchange.status is not None, 10, "an answer")
    return exchange.status is not None


@pytest.mark.parametrize("harms", [HARMS, SILENT], ids=["refused", "silent"])
async def test_a_first_answer_gets_through_in_the_third_second(
    standin: StandIn,
    harms: dict[str, Harm],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    standin.settings.answer_within_s = 60
    slower = Patience(**{name: SLOWER * seconds for name, seconds in asdict(FIRST).items()})
    monkeypatch.setattr("bot.delivery.FIRST", slower)
    async with ready(standin):
        answer = await (await standin.slash("vram train", QUERY)).finished(timeout=60)
        tried = {
            f"{kind}, {name}": gets_through(standin, exchange, harm)
            for number, (name, harm) in enumerate(harms.items())
            for kind, exchange in islice(interactions(standin, answer).items(), number % 2, None, 2)
        }
        got = await asyncio.gather(*tried.values())
    assert [name for name, through in zip(tried, got, strict=True) if not through] == []
    assert not [one for one in caplog.records if one.exc_info and one.name.startswith("discord")]


@pytest.fixture
def announced(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer is announced first; and no try is long after the one before it."""
    standin.settings.answer_within_s = 60
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 0)
    monkeypatch.setattr("bot.delivery.UNSAID_S", 0.05)
    monkeypatch.setattr("bot.delivery.LATER", replace(LATER, pause=0.01, longest_pause=0.05))


@pytest.mark.usefixtures("announced", "patient")
async def test_what_follows_an_announcement_gets_through(standin: StandIn) -> None:
    """Where it is an error: an edit, a message to the asker, and a removal."""
    calls = (("PATCH", ORIGINAL), ("POST", FOLLOW_UP), ("DELETE", ORIGINAL))

    async def follows(number: int, harm: Harm) -> bool:
        exchange = standin.people().slash("vram train", {"query": f"nobody/has-{number} lora"})
        faults = [
            standin.faults.arm(harm, route=route, method=method, times=2, about=exchange.token)
            for method, route in calls
        ]
        reply = await standin.ask(exchange, LONG_S)
        await standin.until(lambda: bool(reply.stored and reply.stored.deleted), LONG_S)
        return all(fault.fired for fault in faults) and bool(reply.followups)

    async with HubStandIn() as hub:
        asking = Hub(base=hub.base, patience_s=LONG_S)
        async with ready(standin, desk=desk_of(asking)):
            tried = [follows(number, harm) for number, harm in enumerate(SHORT.values())]
            got = await asyncio.gather(*tried)
        await asking.close()
    assert [name for name, through in zip(SHORT, got, strict=True) if not through] == []


@pytest.mark.usefixtures("announced")
async def test_calls_that_take_almost_three_seconds_are_waited_for(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    """A first answer, one that follows an announcement, and one in a channel."""
    async with ready(standin):
        standin.faults.delay(SLOW_S, times=None)
        written = await standin.write("@bot 7B lora")
        asked = (
            standin.people().slash("vram help", {}),
            standin.people().slash("vram train", QUERY),
        )
        first, later = await asyncio.gather(*(standin.ask(one, 60) for one in asked))
        await later.finished(timeout=60)
        await standin.answer_to(written, 60)
    assert first.embeds
    assert later.embeds
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.usefixtures("announced", "patient")
async def test_who_waits_for_an_edit_keeps_nobody_from_a_first_answer(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.tree.AT_ONCE", 2)
    async with ready(standin):
        fault = standin.faults.arm(HARMS["503"], route=ORIGINAL, times=None)
        stuck = [await standin.slash("vram train", QUERY, timeout=60) for _ in range(2)]
        answer = await standin.slash("vram help", {}, timeout=60)
        fault.clear()
        for reply in stuck:
            await reply.finished(timeout=60)
    assert answer.embeds


@pytest.mark.usefixtures("announced", "impatient", "in_no_time")
@pytest.mark.parametrize("name", SHORT)
async def test_messages_in_channels_and_late_pictures_get_through(
    standin: StandIn, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    painter, fired = Held(), []
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 60)
    async with ready(standin, painter=painter):
        for posts, method, route in (
            (True, "POST", POST),
            (True, "GET", EDIT),
            (True, "PATCH", EDIT),
            (False, "GET", WEBHOOK),
            (False, "PATCH", WEBHOOK),
        ):
            fault = standin.faults.arm(SHORT[name], route=route, method=method, times=2)
            message = await answered(standin, posts=posts)
            await painter.let_go()
            await standin.until(lambda: has_picture(message.stored), 60)  # noqa: B023
            fired.append(fault.fired)
            fault.clear()
    assert all(fired)  # where the first try got through unheard there is no other
    assert len(standin.posted) == 3


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", SHORT)
async def test_the_bot_comes_up_through_it(
    standin: StandIn, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who it is, what it is, where to connect; and its commands, which it goes on without."""
    monkeypatch.setattr("bot.syncing.AGAIN_S", 0.01)
    routes = ("/users/@me", "/oauth2/applications/@me", "/gateway/bot", COMMANDS, COMMANDS)
    methods = ("GET", "GET", "GET", "GET", "PUT")
    armed = [
        standin.faults.arm(SHORT[name], route=route, method=method, times=2)
        for route, method in zip(routes, methods, strict=True)
    ]
    async with started(standin):
        await standin.ready(timeout=60)
        await standin.until(lambda: bool(standin.commands), 60)
        assert await answers(standin)
    assert [fault.fired for fault in armed[:3]] == [2, 2, 2]
