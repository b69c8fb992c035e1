"""The bot, its people, its harms and its watch, all together for a while."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.load.asking import arrivals
from tests.load.phases import warm
from tests.load.programs import Program, the_bot
from tests.soak.doing import Doing, Everybody
from tests.soak.harming import WITHIN_S, Harms
from tests.soak.inside import STARTS_WITH, VARIABLE
from tests.soak.ledger import FINISHED_S, Ledger
from tests.soak.watching import Look, grown, look
from tests.wire.forgetting import forget, forget_message
from tests.wire.messages import Message
from tests.wire.standin import INTERACTION, StandIn

MESSAGE = "MESSAGE_CREATE"
LOOKS = 40  # at the process, evenly over the time
LATER_S = 1.0  # of what people do, when it is over
WARM = 60  # questions before the clock runs: a new process reads its tables and languages
TOLD = "tasks"  # the file in which the bot's process says how many there are

Say = Callable[[str], None]


@dataclass
class Soak:
    """What was seen."""

    ledger: Ledger = field(default_factory=Ledger)
    looks: list[Look] = field(default_factory=list)
    identifies: int = 0
    resumes: int = 0
    harms: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)  # rules of Discord
    not_back: int = 0  # connections that broke and did not come back in time
    status: int | None = None  # of the process, where it ended by itself

    @property
    def faults(self) -> list[str]:
        """What must not be."""
        lost = self.ledger.total(self.ledger.lost)
        found = [f"{lost} answers lost"] if lost else []
        found += grown(self.looks)
        found += [f"Discord's rule broken: {one}" for one in self.broken]
        if self.not_back:
            found.append(f"{self.not_back} connections did not come back within {WITHIN_S:g} s")
        if self.status is not None:
            found.append(f"the process ended with {self.status}")
        return found


@dataclass
class Waiting:
    """Something that was done, until it is settled."""

    doing: Doing
    sent: float
    heard: bool


class Soaking:
    """One soak, on one stand-in."""

    def __init__(self, standin: StandIn, program: Program, people: Everybody, seed: int) -> None:
        self.soak = Soak()
        self._standin, self._program, self._people, self._seed = standin, program, people, seed
        self._waiting: deque[Waiting] = deque()

    async def go(self, seconds: float, rate: float, folder: Path, say: Say) -> Soak:
        """Everything at once, for so long."""
        harms = Harms(self._standin, self._program, self._seed, self.soak.ledger.outages)
        harming = asyncio.create_task(harms.go_on())
        watching = asyncio.create_task(self._watch(seconds, folder / TOLD, say))
        try:
            await self._do(seconds, rate)
        finally:
            harming.cancel()
            self._standin.faults.clear()
            with suppress(asyncio.CancelledError):
                await harming
        await self._settled()
        await watching
        self.soak.identifies = len(self._standin.identifies)
        self.soak.resumes = len(self._standin.resumes)
        self.soak.harms = dict(harms.done)
        self.soak.not_back = harms.not_back
        self.soak.broken = self._standin.violations
        self.soak.status = self._program.process.returncode
        return self.soak

    async def _do(self, seconds: float, rate: float) -> None:
        begun = self.soak.ledger.begun = self._standin.clock.now()
        for due in arrivals(rate, seconds, self._seed):
            doing = self._people.next()
            await asyncio.sleep(max(0.0, begun + due - self._standin.clock.now()))
            sent = self._standin.clock.now()
            if doing.exchange is not None:
                heard = await self._standin.dispatch(INTERACTION, doing.exchange.interaction)
            else:
                heard = await self._standin.dispatch(MESSAGE, doing.event)
            self._waiting.append(Waiting(doing, sent, bool(heard)))
            self._settle(sent - FINISHED_S - LATER_S)

    async def _settled(self) -> None:
        """Wait until all is answered, or could have been."""
        with suppress(TimeoutError):
            await self._standin.until(self._all_answered, FINISHED_S + LATER_S, "all answers")
        self._settle(self._standin.clock.now())

    def _all_answered(self) -> bool:
        replied = self._replied()
        return all(self._is_done(one, replied) for one in self._waiting)

    def _is_done(self, one: Waiting, replied: dict[str, Message]) -> bool:
        if one.doing.message is not None:
            return one.doing.message.id in replied
        exchange = one.doing.exchange
        return exchange is not None and exchange.status is not None

    def _replied(self) -> dict[str, Message]:
        """The bot's messages in channels, by what they reply to."""
        found = {}
        for message in self._standin.posted:
            reference = message.stored.get("message_reference")
            if reference is not None:
                found[str(reference["message_id"])] = message
        return found

    def _settle(self, until: float) -> None:
        """Write down what was done before, and let go of it."""
        if not self._waiting or self._waiting[0].sent > until:
            return
        replied, over = self._replied(), []
        while self._waiting and self._waiting[0].sent <= until:
            one = self._waiting.popleft()
            own = one.doing.message
            reply = None if own is None else replied.get(own.id)
            self.soak.ledger.settle(one.doing, one.sent, heard=one.heard, replied=reply is not None)
            if one.doing.exchange is not None:
                over.append(one.doing.exchange)
            for message in (own, reply):
                if message is not None:
                    forget_message(self._standin, message)
        forget(self._standin, over)

    async def _watch(self, seconds: float, told: Path, say: Say) -> None:
        """Look at the process again and again, and say what is seen."""
        begun = self._standin.clock.now()
        for number in range(LOOKS):
            await asyncio.sleep(begun + (number + 1) * seconds / LOOKS - self._standin.clock.now())
            if self._program.process.returncode is not None:
                return
            at = self._standin.clock.now() - begun
            seen = await look(self._program, told, at)
            self.soak.looks.append(seen)
            say(f"{at:7.0f} s  {self._so_far()}; {seen}; {self._sessions()}")

    def _so_far(self) -> str:
        """What was asked and answered, those included that are not settled yet."""
        ledger = self.soak.ledger
        asked = ledger.total(ledger.asked) + len(self._waiting)
        waiting = [one.doing.exchange for one in self._waiting]
        early = sum(one is not None and one.after_s is not None for one in waiting)
        answered = ledger.total(ledger.answered) + early
        return f"asked {asked}, answered {answered}, lost {ledger.total(ledger.lost)}"

    def _sessions(self) -> str:
        return f"IDENTIFY {len(self._standin.identifies)}, RESUME {len(self._standin.resumes)}"


async def soaked(seconds: float, rate: float, seed: int, folder: Path, say: Say) -> Soak:
    """Start the bot, let it answer in every language once, and soak it."""
    told = folder / TOLD

    def start(
        standin: StandIn, where: Path, core: int | None
    ) -> AbstractAsyncContextManager[Program]:
        return the_bot(
            standin,
            where,
            core,
            environment={VARIABLE: str(told)},
            first={"sitecustomize": STARTS_WITH},
        )

    async with warm(start, folder / "bot", None, [], WARM) as asking:
        people = Everybody(asking.crowd, seed)
        soaking = Soaking(asking.standin, asking.program, people, seed)
        return await soaking.go(seconds, rate, folder, say)
