"""All phases, one after the other, and what came out beside what is to be reached."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from estimator.units import MB
from tests.load.asking import Asking
from tests.load.crowd import AUTOCOMPLETE, COMMAND, PICTURE, PRESS
from tests.load.figures import Figures, growth
from tests.load.phases import Start, flood, highest, long, started, warm
from tests.load.programs import the_bot, the_floor
from tests.load.report import HEAD, Target, mb, row
from tests.wire.people import Json

READY_S = 1.5
BOT_MB, DRAWER_MB = 120, 200
RATIO, P99_MS, A_SECOND = 1.75, 15, 300
PLAIN_MS, FLAT = 100, 3  # the second in percent

ASKED_BEFORE = 8  # times as many as there are: then hardly one of them was not asked yet
PLAIN = (COMMAND, AUTOCOMPLETE, PRESS)  # a picture may take its time, and the floor has none

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """`seconds` for each rate; `interactions` of the long run."""

    seconds: float
    rate: float
    scenarios: tuple[str, ...]
    interactions: int
    seed: int
    distinct: int
    starts: int


async def measured(plan: Plan, folder: Path, core: int | None, say: Say) -> list[Target]:
    """Say what is found as it is found; what is to be reached, with what was."""
    targets = await _starts(plan, folder, core, say)
    answers: list[Json] = []
    bot: dict[str, Figures] = {}
    floor: dict[str, Figures] = {}
    say(f"\n{HEAD}")
    async with warm(
        the_bot, folder / "bot", core, answers, seed=plan.seed, distinct=plan.distinct
    ) as asking:
        for scenario in plan.scenarios:
            bot[scenario] = await _steady(asking, plan, scenario)
            say(row(f"bot {scenario}, {plan.rate:g}/s", bot[scenario]))
        mixed = await flood(asking, plan.rate, plan.seconds)
        plain = mixed.of(COMMAND)
        say(row("bot flood, plain", mixed, plain))
        say(row("bot flood, pictures", mixed, mixed.of(PICTURE)))
        held = await highest(asking, COMMAND, plan.seconds)
        for one in held.tried:
            say(row(f"bot highest, {one.rate:.0f}/s", one))
        rate = max(plan.rate, held.best.rate / 2 if held.best is not None else 0)
        slices = await long(asking, rate, plan.scenarios[-1], plan.interactions)
        say("long run, RSS: " + " ".join(mb(one.rss) for one in slices))
    async with warm(
        the_floor, folder / "floor", core, answers, seed=plan.seed, distinct=plan.distinct
    ) as asking:
        for scenario in plan.scenarios:
            if scenario != PICTURE:  # it has none
                floor[scenario] = await asking.at(plan.rate, plan.seconds, scenario)
                say(row(f"floor {scenario}, {plan.rate:g}/s", floor[scenario]))
        least = await highest(asking, COMMAND, plan.seconds)
        for one in least.tried:
            say(row(f"floor highest, {one.rate:.0f}/s", one))
    for scenario in PLAIN:
        if scenario not in floor:
            continue
        beside = floor[scenario]
        own = bot[scenario].all
        ratio = own.ms(0.5) / beside.all.ms(0.5)
        targets.append(
            Target(f"{scenario} at {plan.rate:g}/s, p50 to the floor's", ratio, RATIO, "×")
        )
        targets.append(Target(f"{scenario} at {plan.rate:g}/s, p99", own.ms(0.99), P99_MS, "ms"))
    best = held.best.a_second if held.best is not None else 0.0
    targets.append(Target("answers a second, p99 ≤ 50 ms", best, A_SECOND, "/s", at_least=True))
    targets.append(Target("flood of pictures: plain answers, p99", plain.ms(0.99), PLAIN_MS, "ms"))
    grown = 100 * growth([one.rss for one in slices])
    targets.append(Target(f"growth over {plan.interactions} interactions", grown, FLAT, "%"))
    return targets


async def _steady(asking: Asking, plan: Plan, scenario: str) -> Figures:
    """Of the same few questions, once each was asked before; of ever others, at once."""
    if plan.distinct:
        await asking.at(plan.rate, ASKED_BEFORE * plan.distinct / plan.rate, scenario)
    return await asking.at(plan.rate, plan.seconds, scenario)


async def _starts(plan: Plan, folder: Path, core: int | None, say: Say) -> list[Target]:
    targets = []
    programs: dict[str, Start] = {"bot": the_bot, "floor": the_floor}
    for name, start in programs.items():
        found = await started(start, folder / f"{name}s", core, plan.starts)
        for number, one in enumerate(found):
            say(
                f"{name}, start {number + 1}: ready after {one.ready_s:.2f} s, first answer after "
                f"{one.answered_s:.2f} s, RSS {mb(one.rss)}, picture worker {mb(one.rss_drawer)}"
            )
        if name == "bot":
            targets = [
                Target("ready after its start", min(one.ready_s for one in found), READY_S, "s"),
                Target("its memory after its start", found[-1].rss / MB, BOT_MB, "MB"),
                Target("its picture worker's memory", found[-1].rss_drawer / MB, DRAWER_MB, "MB"),
            ]
    return targets
