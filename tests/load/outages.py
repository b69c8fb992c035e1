"""What can befall the gateway, by name: how it begins, and how long the bot may take after it."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.load.subject import Subject

RESUMED_S, BEGUN_S, BACKOFF_S = 1.0, 8.0, 90.0  # to be ready again, by what it takes
AWAY_S = 3.0  # a short fault
LONG_S = 150.0  # a long one
Strike = Callable[[Subject], Awaitable[None]]


@dataclass(frozen=True)
class Outage:
    """`strike` returns when Discord is well again; `at_start`: it is there before the bot is."""

    name: str
    strike: Strike
    target_s: float
    at_start: bool = False
    long: bool = False
    away: bool = False  # counted from when Discord is well again, not from the fault's begin


def _closed(code: int) -> Strike:
    async def strike(subject: Subject) -> None:
        await subject.standin.close_gateway(code)

    return strike


def _ended(how: str) -> Strike:
    async def strike(subject: Subject) -> None:
        getattr(subject.standin.connections[-1], how)()

    return strike


def _away(switch: str, seconds: float, *, drop: bool = True) -> Strike:
    """No new connection is served for so long."""

    async def strike(subject: Subject) -> None:
        fault = getattr(subject.standin.faults, switch)
        fault.arm()
        if drop:
            await subject.standin.drop()
        await asyncio.sleep(seconds)
        fault.clear()

    return strike


async def _refused_at_first(subject: Subject) -> None:
    while not subject.standin.faults.refuse_connect.fired:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)
    await asyncio.sleep(1)
    subject.standin.faults.clear()


async def _dead_resume(subject: Subject) -> None:
    subject.standin.faults.dead_resume.arm()
    await subject.standin.drop()


async def _lost_session(subject: Subject) -> None:
    subject.standin.faults.lose_session.arm(1)
    await subject.standin.drop()


async def _reconnect(subject: Subject) -> None:
    await subject.standin.ask_reconnect()


async def _reconnect_and_gone(subject: Subject) -> None:
    gone = subject.standin.connections[-1]
    await subject.standin.ask_reconnect()
    gone.freeze()


def _invalid(*, resumable: bool) -> Strike:
    async def strike(subject: Subject) -> None:
        await subject.standin.invalidate(resumable=resumable)

    return strike


async def _nonsense(subject: Subject) -> None:
    await subject.standin.send_text("not json")


async def _null_resumed(subject: Subject) -> None:
    subject.standin.faults.null_resumed.arm(1)
    await subject.standin.drop()


async def _unanswered_identify(subject: Subject) -> None:
    subject.standin.faults.never_ready.arm(1)
    await subject.standin.invalidate(resumable=False)


async def _frozen(subject: Subject) -> None:
    subject.standin.connections[-1].freeze()


async def _no_acks(subject: Subject) -> None:
    """And nothing else either: one that still sends events is alive."""
    subject.standin.faults.never_ack.arm()
    first = len(subject.standin.connections)
    subject.quiet = True
    await subject.standin.until(lambda: len(subject.standin.connections) > first, 120)
    subject.quiet = False
    subject.standin.faults.clear()


async def _killed(subject: Subject) -> None:
    """And started again at once, as a container is."""
    await subject.kill()
    await subject.start()


async def _asleep(subject: Subject) -> None:
    """Long enough for Discord to close the socket, and to forget the session."""
    subject.send(signal.SIGSTOP)
    await subject.standin.close_gateway(4009)
    subject.send(signal.SIGCONT)


RESUMABLE = (1000, 1001, 1011, 1012, 4000, 4001, 4002, 4005, 4008)
OVER = (4003, 4007, 4009)

OUTAGES = (
    Outage("first connect refused", _refused_at_first, BEGUN_S, at_start=True, away=True),
    Outage("reset", _ended("drop"), RESUMED_S),
    Outage("ends without a goodbye", _ended("end_stream"), RESUMED_S),
    Outage("closes without a code", _ended("close_without_code"), RESUMED_S),
    *(Outage(f"closes with {code}", _closed(code), RESUMED_S) for code in RESUMABLE),
    Outage("op 7", _reconnect, RESUMED_S),
    Outage("op 7, then gone", _reconnect_and_gone, RESUMED_S),
    Outage("op 9, resumable", _invalid(resumable=True), RESUMED_S),
    Outage("resume address dead", _dead_resume, RESUMED_S),
    Outage("away for 3 s", _away("refuse_connect", AWAY_S), RESUMED_S, away=True),
    Outage("503 for 3 s", _away("gateway_unavailable", AWAY_S), RESUMED_S, away=True),
    Outage("no HELLO for 3 s", _away("close_before_hello", AWAY_S), RESUMED_S, away=True),
    *(Outage(f"closes with {code}", _closed(code), BEGUN_S) for code in OVER),
    Outage("op 9, not resumable", _invalid(resumable=False), BEGUN_S),
    Outage("session lost on RESUME", _lost_session, BEGUN_S),
    Outage("a frame that is no JSON", _nonsense, BEGUN_S),
    Outage("RESUMED without data", _null_resumed, BEGUN_S),
    Outage("machine asleep", _asleep, BEGUN_S),
    Outage("kill -9, started again", _killed, BEGUN_S),
    Outage("IDENTIFY unanswered", _unanswered_identify, BACKOFF_S, long=True),
    Outage("silent and half open", _frozen, BACKOFF_S, long=True),
    Outage("heartbeats unanswered", _no_acks, BACKOFF_S, long=True),
    Outage("away for 150 s", _away("refuse_connect", LONG_S), BACKOFF_S, long=True, away=True),
)
