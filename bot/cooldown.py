"""How much one person, and one server, may ask: some at once, then so many a minute.

A person: 60 a minute, 30 of them at once. Who presses a button a second for minutes goes on;
a script of one account takes a three-hundredth of what one process answers. A server: 6,000 a
minute, a third of that, so that the fullest server in its busiest hour leaves two thirds to
others. Lists, asked for while somebody types, are cheap and come by the letter: five for each.
Messages have limits of their own, below the 50 posts a second that Discord takes of one bot:
https://discord.com/developers/docs/topics/rate-limits#global-rate-limit

Each process counts for itself. What is kept is one number each for the people and servers that
asked last, and in no case more of them than `bot.courtesy.MOST_KNOWN`.
"""

import logging
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from bot.courtesy import Courtesy

log = logging.getLogger(__name__)

MINUTE_S = 60.0
PERSON_AT_ONCE_S = 30.0  # what a person may save up, as of so many seconds
SERVER_AT_ONCE_S = 10.0
LISTS = 5  # for each question
WRITTEN_AT_ONCE, WRITTEN_EVERY_S = 60, 0.2  # messages of one server: a sixth of all posts
TOLD_AT_ONCE, TOLD_EVERY_S = 3, 5.0  # sentences to one person who asks too much
TOLD_THERE_AT_ONCE, TOLD_THERE_EVERY_S = 20, 0.1  # and to all of a server that does
TOLD_BELOW_S = 60.0  # between two of them that a whole channel reads
EMPTIED_AT_ONCE, EMPTIED_EVERY_S = 30, 0.2  # lists, empty, to one person who asks for too many
QUIET_S = 60.0  # between two lines of the log


class Kind(StrEnum):
    """What is asked by."""

    ASKED = "asked"  # a command, a press or a form
    LISTED = "listed"  # what Discord lists while somebody types
    WRITTEN = "written"  # a message


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and in which server; 0 of a direct message."""

    person: int
    server: int = 0


@dataclass(frozen=True, slots=True)
class Rest:
    """What is not answered now. `key`: of the sentence; `wait_s`: until it would be.

    `told`: whether that is to be said; who goes on all the same is not told each time.
    """

    key: str
    wait_s: float
    told: bool


ASKER: ContextVar[Asker | None] = ContextVar("asker", default=None)  # whose question this is


@dataclass(slots=True)
class _Share:
    """Of one kind; None: as much as one likes."""

    person: Courtesy | None
    server: Courtesy | None
    told: Courtesy
    told_there: Courtesy

    def rest(self, asker: Asker) -> Rest | None:
        """Take one more for both, or neither."""
        for bucket, who, told, key in (
            (self.person, asker.person, self.told, "cooldown_person"),
            (self.server, asker.server, self.told_there, "cooldown_server"),
        ):
            if bucket is not None and who and (wait_s := bucket.wait_s(who)) > 0:
                return Rest(key, wait_s, told.take(who))
        if self.person is not None:
            self.person.take(asker.person)
        if self.server is not None and asker.server:
            self.server.take(asker.server)
        return None


class Cooldowns:
    """Counts what is asked; `allow` says how much. Of a minute 0 is as much as one likes."""

    def __init__(
        self,
        person_a_minute: int = 0,
        server_a_minute: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.refused = 0  # questions, since the start
        self._told_of = 0  # of those, in the log
        self._quiet_until = float("-inf")
        self._clock = clock
        self._shares: dict[Kind, _Share] = {}
        self._shares[Kind.WRITTEN] = _Share(
            Courtesy(clock=clock),
            Courtesy(WRITTEN_AT_ONCE, WRITTEN_EVERY_S, clock),
            Courtesy(1, TOLD_BELOW_S, clock),
            Courtesy(1, TOLD_BELOW_S, clock),
        )
        self.allow(person_a_minute, server_a_minute)

    def allow(self, person_a_minute: int, server_a_minute: int) -> None:
        """From now on so much by commands, presses and forms; counted from nothing."""
        for kind, times, told in (
            (Kind.ASKED, 1, Courtesy(TOLD_AT_ONCE, TOLD_EVERY_S, self._clock)),
            (Kind.LISTED, LISTS, Courtesy(EMPTIED_AT_ONCE, EMPTIED_EVERY_S, self._clock)),
        ):
            person = self._bucket(person_a_minute * times, PERSON_AT_ONCE_S)
            server = self._bucket(server_a_minute * times, SERVER_AT_ONCE_S)
            there = Courtesy(TOLD_THERE_AT_ONCE, TOLD_THERE_EVERY_S, self._clock)
            self._shares[kind] = _Share(person, server, told, there)

    def rest(self, kind: Kind, asker: Asker) -> Rest | None:
        """None where it is answered, which is then counted; else why not, and until when."""
        found = self._shares[kind].rest(asker)
        if found is not None:
            self.refused += 1
            self._say()
        return found

    def _bucket(self, a_minute: int, at_once_s: float) -> Courtesy | None:
        if not a_minute:
            return None
        every_s = MINUTE_S / a_minute
        return Courtesy(max(1, round(at_once_s / every_s)), every_s, self._clock)

    def _say(self) -> None:
        """Tell the operator, at most once a minute: how many, and nobody's name."""
        now = self._clock()
        if now < self._quiet_until:
            return
        self._quiet_until = now + QUIET_S
        count, self._told_of = self.refused - self._told_of, self.refused
        log.warning("asked too much: %d more not answered ([limits] says how much is)", count)
