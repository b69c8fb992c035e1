"""What is being answered: a short id for each event of Discord, in all lines of the log about it.

It goes along into tasks and, by `bot.ops.threads`, into threads. Whoever is told that an answer
failed is told this id, so that an operator finds the lines. It says nothing of who asked, or what.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from secrets import token_hex
from time import monotonic

from bot.ops.metrics import ANSWER_SECONDS, INTERACTIONS, UNREAD
from bot.ops.recently import RECENTLY

ID_BYTES = 4  # eight digits: short enough to be typed, and no two in the same log soon


class Outcome(StrEnum):
    """What became of something that was asked."""

    ANSWERED = "answered"
    REFUSED = "refused"  # what was asked could not be read, or not be estimated, and that was said
    FAILED = "failed"  # by a mistake of this program
    TOO_LATE = "too_late"  # Discord no longer waits, or too many were before
    THROTTLED = "throttled"  # whoever asked, asks too often
    UNDELIVERED = "undelivered"  # no try got through


@dataclass(slots=True)
class Answering:
    """One event while it is answered. `outcome`: the worst that was said of it so far."""

    id: str = field(default_factory=lambda: token_hex(ID_BYTES))
    born: float = field(default_factory=monotonic)
    shard: int | None = None
    kind: str = ""
    outcome: Outcome | None = None
    reached: bool = False  # whether anything of an answer was taken


_NOW: ContextVar[Answering | None] = ContextVar("answering", default=None)


@contextmanager
def heard(shard: int | None = None) -> Iterator[Answering]:
    """An event came in, on a shard: what begins within the block is about it."""
    now = Answering(shard=shard)
    token = _NOW.set(now)
    try:
        yield now
    finally:
        _NOW.reset(token)


def answering() -> Answering | None:
    """What is being answered here; None beside all events."""
    return _NOW.get()


def incident() -> str:
    """The id of it; a new one where this is beside all events."""
    now = _NOW.get()
    return now.id if now else token_hex(ID_BYTES)


def mark(outcome: Outcome) -> None:
    """Say what becomes of what is answered here; what was said before stays."""
    now = _NOW.get()
    if now is not None and now.outcome is None:
        now.outcome = outcome


def refused(code: str) -> None:
    """What was asked is refused, with that code of an error."""
    mark(Outcome.REFUSED)
    UNREAD.add(code)


def reached() -> None:
    """Discord took something of the answer; people wait for the first time of it."""
    now = _NOW.get()
    if now is None or now.reached:
        return
    now.reached = True
    if now.kind:
        seconds = monotonic() - now.born
        ANSWER_SECONDS.observe(seconds, now.kind)
        RECENTLY.answer(seconds)


@contextmanager
def counted(kind: str, command: str) -> Iterator[None]:
    """Count what becomes of it at the end of the block; `command` is one of a closed set."""
    now = _NOW.get()
    if now is None or now.kind:  # it is counted by who came first
        yield
        return
    now.kind = kind
    try:
        yield
    except BaseException:
        mark(Outcome.FAILED)
        raise
    finally:
        outcome = now.outcome or (Outcome.ANSWERED if now.reached else Outcome.FAILED)
        INTERACTIONS.add(kind, command, outcome)
        RECENTLY.outcome(outcome)
