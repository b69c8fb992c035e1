"""`python -m tests.load.rolling [--brief]`: processes are replaced while people ask.

The real program, four processes of four shards each, in 40,000 servers, with its default pace, on
the stand-in. First with overlap: a new process with the same shards is ready before the old one is
stopped, so for a while Discord tells both of everything. Then as a StatefulSet: the old process is
gone before the new one starts. What is lost came to a process with a second or more of its three
left, and was not answered; what is unheard did not.

At first all shards begin at once, as Discord lets a large bot's; then one in five seconds.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from estimator import THOUSAND
from tests.load.fleet import Fleet, Gap, Size, fleet
from tests.load.report import Target, summary
from tests.load.stream import Outcomes, Stream
from tests.wire.standin import StandIn

FULL, BRIEF = Size(processes=4, shards=4, servers=40_000), Size(2, 2, 400)
GAP_S = 10.0  # at most, of each shard
RATE = 10.0  # things a second that people do
SPACE_S = 5.0  # between two IDENTIFYs, at Discord
PAUSE_S = 6.0  # between two processes
STEADY, OVERLAP, IN_PLACE = "steady", "overlap", "StatefulSet"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How large, how much is asked, and how long nothing happens between two processes.

    `replaced`: so many processes, each way. `spaced`: from then on one shard begins in five
    seconds. `answer_s`: how long Discord waits for an answer.
    """

    size: Size
    rate: float
    pause_s: float
    replaced: int
    spaced: bool = True
    answer_s: float = 3.0


@dataclass
class Found:
    """What came out."""

    phases: dict[str, Outcomes]
    gaps: list[Gap]
    exits: list[int]
    faults: list[str]
    broken: list[str]  # rules of Discord
    identifies: int  # after the start
    resumes: int
    starved_s: float  # for which processes wanted a core that others had

    @property
    def targets(self) -> list[Target]:
        """What is to be reached, with what was."""
        made = [
            Target(f"{phase}: {what}", getattr(self.phases[phase], what), 0, "")
            for phase, kinds in (
                (OVERLAP, ("lost", "unheard", "twice")),
                (IN_PLACE, ("lost", "twice")),
            )
            for what in kinds
        ]
        worst = max(gap.session_s for gap in self.gaps)
        return [
            *made,
            Target(f"{IN_PLACE}: longest gap of a shard", worst, GAP_S, "s"),
            Target(
                "processes that ended with another status than 0", sum(map(bool, self.exits)), 0, ""
            ),
            Target("errors that processes logged", len(self.faults), 0, ""),
            Target("rules of Discord that were broken", len(self.broken), 0, ""),
        ]


async def rolled(plan: Plan, folder: Path, say: Say) -> Found:
    """All of it; says what it does."""
    async with StandIn() as standin, fleet(standin, folder, plan.size) as running:
        if plan.spaced:
            standin.settings.max_concurrency = 1
            standin.settings.identify_window_s = SPACE_S
        standin.settings.answer_within_s = plan.answer_s
        say(f"{plan.size.count} shards are ready, in {plan.size.servers} servers")
        identifies = len(standin.identifies)
        stream = Stream(standin, plan.size.count, plan.rate)
        stream.phase = STEADY
        async with stream.going_on():
            await asyncio.sleep(2 * plan.pause_s)
            for phase, replace, order in (
                (OVERLAP, running.overlapping, range(plan.replaced)),
                (IN_PLACE, running.in_its_place, reversed(range(plan.replaced))),
            ):
                stream.phase = phase
                for number in order:
                    begun = standin.clock.now()
                    await replace(number)
                    say(f"{phase}: process {number}, {standin.clock.now() - begun:.1f} s")
                    await asyncio.sleep(plan.pause_s)
            stream.phase = STEADY
        gaps = [_gap(running, stream, shard) for shard in range(plan.replaced * plan.size.shards)]
        broken, anew = list(standin.violations), len(standin.identifies) - identifies
        resumes = sum(one.resumed for one in standin.resumes)
        for process in running.now.values():
            await running.stop(process)
        return Found(
            *(stream.phases, gaps, running.exits, running.faults),
            *(broken, anew, resumes, running.starved_s),
        )


def _gap(running: Fleet, stream: Stream, shard: int) -> Gap:
    """Between the last two connections of a shard."""
    old, new = running.connections(shard)[-2:]
    assert old.ended_at is not None
    assert new.began_at is not None
    answer = stream.first_answer(shard, new.began_at)
    return Gap(shard, new.began_at - old.ended_at, answer - old.ended_at, new.resumed)


def _told(found: Found, say: Say) -> None:
    say(
        f"\n{'':14}{'asked':>7}{'answered':>9}{'lost':>6}{'unheard':>8}{'twice':>6}{'refused':>8}"
        f"{'p50 ms':>8}{'p99 ms':>8}"
    )
    for phase, one in found.phases.items():
        say(
            f"{phase:14}{one.asked:7}{one.answered:9}{one.lost:6}{one.unheard:8}{one.twice:6}"
            f"{one.refused:8}{one.at(0.5) * THOUSAND:8.1f}{one.at(0.99) * THOUSAND:8.1f}"
        )
    say("refused: second callbacks, since another process had answered\n")
    say(f"{IN_PLACE}, gap by shard, from the old connection's end: to its session, to an answer")
    for gap in found.gaps:
        how = "RESUME" if gap.resumed else "IDENTIFY"
        say(f"  shard {gap.shard:2}  {gap.session_s:6.2f} s  {gap.answer_s:6.2f} s  {how}")
    codes = " ".join(map(str, found.exits))
    say(f"\nIDENTIFYs {found.identifies}, RESUMEs {found.resumes}, exit statuses {codes}")
    say(f"processes waited {found.starved_s:.0f} s for a core that others had: more than few, and")
    say("what is lost and how long it took is the machine's")
    for line in [*found.faults[:3], *found.broken[:3]]:
        say(f"  {line}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what came out, and which targets are reached; 1 where one is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.load.rolling", description=__doc__)
    parser.add_argument("--brief", action="store_true", help="two processes of two shards")
    parser.add_argument("--rate", type=float, default=RATE, help="things a second that people do")
    options = parser.parse_args(arguments)
    size = BRIEF if options.brief else FULL
    plan = Plan(size, options.rate, PAUSE_S, replaced=size.processes)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, of which others used {load:.1f} at the begin", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(rolled(plan, Path(folder), lambda text: print(text, flush=True)))
    _told(found, print)
    for target in found.targets:
        print(target)
    print(summary(found.targets))
    return int(not all(target.reached for target in found.targets))


if __name__ == "__main__":
    sys.exit(main())
