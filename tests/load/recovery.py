"""`python -m tests.load.recovery [--times N] [--only WORDS]`: how the bot comes back, measured.

The real program with its default pace and waits, against the stand-in. One line a fault: how the
session came back, seconds from when Discord was well again until it was ready (from the fault's
begin, where Discord never was away), and the answers that were asked meanwhile and lost. An
answer is lost if its question reached the process with a second or more of its three left, and
no callback came.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic

from tests.load.outages import OUTAGES, Outage
from tests.load.subject import START_S, Subject
from tests.wire.callbacks import Exchange
from tests.wire.connection import Connection
from tests.wire.people import Json
from tests.wire.standin import INTERACTION, StandIn

EVERY_S = 0.2  # somebody asks
ANSWER_S = 3.0  # in which Discord takes a callback
IN_TIME_S = 2.0  # a question that arrives later has no second left
AFTER_S = 0.6  # for which people go on asking when it is ready
LONGEST_S = 400.0
QUERY = {"query": "7B adam lora"}


@dataclass
class Result:
    """One fault, so many times over."""

    outage: Outage
    ways: list[str] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)
    asked: int = 0
    lost: int = 0

    @property
    def missed(self) -> bool:
        return max(self.took_s) > self.outage.target_s

    def __str__(self) -> str:
        ways = "/".join(sorted(set(self.ways)))
        times = f"median {median(self.took_s):6.2f} s  worst {max(self.took_s):6.2f} s"
        target = f"target {self.outage.target_s:2g} s {'MISSED' if self.missed else 'met'}"
        counts = f"asked {self.asked:4}  lost {self.lost}"
        return f"{self.outage.name:26} {ways:18} {times}  {counts:20} {target}"


class Asking:
    """Somebody asks all the time; when each question reached the process is noted."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._asked: list[Exchange] = []
        self.reached: dict[str, float] = {}

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self._ask())
        try:
            yield
            await asyncio.sleep(AFTER_S)
        finally:
            if task.done():
                task.result()  # it never ends by itself
            task.cancel()
        await asyncio.sleep(ANSWER_S)

    async def _ask(self) -> None:
        standin = self._subject.standin
        while True:
            if not self._subject.quiet:
                exchange = standin.people().slash("vram train", QUERY)
                self._asked.append(exchange)
                await standin.dispatch(INTERACTION, exchange.interaction)
            await asyncio.sleep(EVERY_S)

    @property
    def count(self) -> int:
        return len(self._asked)

    @property
    def lost(self) -> int:
        """Those that came in time, to a process that lived, and were not answered."""
        in_time = [
            one
            for one in self._asked
            if self.reached.get(one.id, float("inf")) - one.born <= IN_TIME_S
        ]
        return sum(one.status is None for one in in_time)


@contextmanager
def noting(reached: dict[str, float]) -> Iterator[None]:
    """Within, when a question was written to a socket that a process reads."""
    send = Connection.send

    async def noted(self: Connection, *frames: Json) -> None:
        await send(self, *frames)
        gone = self.frozen or self.dropped or self.ended or self.closed_by_us is not None
        for frame in frames:
            if frame["t"] == INTERACTION and not gone:
                reached.setdefault(frame["d"]["id"], monotonic())

    Connection.send = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        Connection.send = send  # type: ignore[method-assign]


async def measured(outage: Outage, times: int) -> Result:
    """The fault so many times: on one process, or each time on one that starts with it."""
    result = Result(outage)
    rounds = 1 if outage.at_start else times
    for _ in range(times if outage.at_start else 1):
        with tempfile.TemporaryDirectory() as folder:
            async with StandIn() as standin:
                await _on(Subject(standin, Path(folder)), result, rounds)
    return result


async def _on(subject: Subject, result: Result, rounds: int) -> None:
    standin = subject.standin
    if result.outage.at_start:
        standin.faults.refuse_connect.arm()
        subject.quiet = True  # there are no commands yet
    await subject.start()
    try:
        if not result.outage.at_start:
            await standin.ready(timeout=START_S)
            await (await standin.slash("vram train", QUERY)).finished(timeout=START_S)
        for _ in range(rounds):
            await _once(subject, result)
        await subject.stop()
    except BaseException:
        print(subject.log[-2000:], file=sys.stderr)
        await subject.kill()
        raise


async def _once(subject: Subject, result: Result) -> None:
    standin, asking = subject.standin, Asking(subject)
    logins, identifies = len(standin.requests_to("/users/@me")), len(standin.identifies)
    before = {id(one) for one in standin.connections}

    def back() -> bool:
        return any(one.ready for one in standin.connections if id(one) not in before)

    with noting(asking.reached):
        async with asking.going_on():
            begun = monotonic()
            await result.outage.strike(subject)
            well = monotonic() if result.outage.away else begun
            await standin.until(back, LONGEST_S, f"a session after {result.outage.name}")
            result.took_s.append(monotonic() - well)
        standin.faults.clear()
    result.asked += asking.count
    result.lost += asking.lost
    if result.outage.at_start or len(standin.requests_to("/users/@me")) > logins:
        result.ways.append("new client")
    else:
        anew = len(standin.identifies) > identifies
        result.ways.append("IDENTIFY" if anew else "RESUME")


async def _all(outages: Sequence[Outage], times: int) -> list[Result]:
    """The short ones one after another; the long ones, which mostly wait, once and together."""
    results = []
    for outage in outages:
        if not outage.long:
            results.append(await measured(outage, times))
            print(results[-1], flush=True)
    for result in await asyncio.gather(*(measured(one, 1) for one in outages if one.long)):
        results.append(result)
        print(result, flush=True)
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a fault and one for all; 1 where an answer was lost or a target missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.load.recovery", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="each fault")
    parser.add_argument("--only", default="", help="faults whose name has these words in it")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, of which others used {load:.1f} at the begin", flush=True)
    chosen = [one for one in OUTAGES if options.only in one.name]
    results = asyncio.run(_all(chosen, options.times))
    lost, missed = sum(one.lost for one in results), sum(one.missed for one in results)
    print(f"overall faults={len(results)} lost={lost} missed={missed}")
    return 1 if lost or missed else 0


if __name__ == "__main__":
    sys.exit(main())
