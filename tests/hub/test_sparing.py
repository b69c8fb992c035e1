"""The Hub is asked so often a minute because of one person, one server, and at all; and by TLS."""

import asyncio
import re
from contextvars import copy_context

from pydantic import SecretStr

from bot.cooldown import ASKER, Asker
from bot.hub.hub import Hub
from bot.hub.repository import Missed, Outcome, Reason
from bot.hub.sparing import (
    AT_ONCE,
    OF_PERSON_AT_ONCE,
    OF_SERVER_AT_ONCE,
    Sparing,
)
from tests.hub.families import LLAMA
from tests.hub.standin import HubStandIn
from tests.repo.product import modules

TOKEN = "hf_" + "A1b2" * 8
UNCHECKED = re.compile(r"\bssl\s*=|CERT_NONE|check_hostname|_create_unverified|trust_env=True")


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def asked_by(sparing: Sparing, asker: Asker | None, times: int) -> int:
    """How many of them are taken."""

    def ask() -> int:
        ASKER.set(asker)
        return sum(sparing.take() for _ in range(times))

    return copy_context().run(ask)


def busy(outcome: Outcome) -> bool:
    return isinstance(outcome, Missed) and outcome.reason is Reason.BUSY


def test_each_has_a_share_that_comes_back() -> None:
    clock = Clock()
    sparing = Sparing(clock)
    assert asked_by(sparing, Asker(1, 7), 100) == OF_PERSON_AT_ONCE
    clock.now += 10
    assert asked_by(sparing, Asker(1, 7), 100) == 1


def test_people_of_one_server_share_one() -> None:
    sparing = Sparing(Clock())
    assert sum(asked_by(sparing, Asker(n, 7), 3) for n in range(1, 50)) == OF_SERVER_AT_ONCE
    assert asked_by(sparing, Asker(99, 8), 3) == 3
    assert asked_by(sparing, Asker(99), 3) == 3


def test_all_of_them_share_one_too() -> None:
    sparing = Sparing(Clock())
    assert sum(asked_by(sparing, Asker(n, n), 3) for n in range(1, 99)) == AT_ONCE
    assert asked_by(sparing, None, 3) == 0


async def test_one_person_asks_it_so_often_and_others_go_on(standin: HubStandIn, hub: Hub) -> None:
    """What is remembered is told all the same."""

    async def look_up(asker: Asker, name: str) -> Outcome:
        ASKER.set(asker)
        return await hub.look_up(name)

    flood, other = Asker(1, 7), Asker(2, 7)
    for number in range(OF_PERSON_AT_ONCE):
        assert not busy(await asyncio.create_task(look_up(flood, f"some/thing-{number}")))
    requests = len(standin.asked)
    assert busy(await asyncio.create_task(look_up(flood, "some/other")))
    assert len(standin.asked) == requests
    assert not busy(await asyncio.create_task(look_up(flood, "some/thing-0")))
    standin.add("some/other", LLAMA)
    assert not busy(await asyncio.create_task(look_up(other, "some/other")))


async def test_nothing_is_said_to_the_host_before_it_has_shown_its_certificate() -> None:
    """Whoever answers in its name, as after a rebound DNS, hears neither token nor question."""
    heard = bytearray()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await reader.read(4096))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        hub = Hub(base=f"https://127.0.0.1:{port}", token=SecretStr(TOKEN), patience_s=60)
        found = await hub.look_up("some/thing-8b")
        await hub.close()
    assert isinstance(found, Missed)
    assert found.reason is Reason.OFFLINE
    assert heard[:1] == b"\x16"  # a handshake of TLS
    assert TOKEN.encode() not in heard
    assert b"some/thing-8b" not in heard


def test_no_certificate_goes_unchecked() -> None:
    files = modules("bot")
    assert len(files) > 100
    assert [path for path in files if UNCHECKED.search(path.read_text(encoding="utf-8"))] == []
