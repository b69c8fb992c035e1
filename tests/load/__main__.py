"""`python -m tests.load`: how much the bot bears and costs, beside a bot that knows one answer.

Both are processes of their own, connected to the stand-in for Discord in this one, each on a core
of its own. All times depend on the machine: run it on one that does nothing else.
"""

import argparse
import asyncio
import os
import platform
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.load.crowd import KINDS, MIXED
from tests.load.processes import cores, pin
from tests.load.report import MEANING, summary
from tests.load.running import Plan, measured

SCENARIOS = (*KINDS, MIXED)


def plan_of(arguments: Sequence[str] | None = None) -> Plan:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="for each rate")
    parser.add_argument("--rate", type=float, default=50, help="questions a second to compare at")
    parser.add_argument("--scenario", choices=SCENARIOS, action="append", help="these alone")
    parser.add_argument("--interactions", type=int, default=10_000, help="of the long run")
    parser.add_argument("--brief", action="store_true", help="about a minute for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--distinct", type=int, default=0, help="of each kind; 0: none comes twice")
    said = parser.parse_args(arguments)
    scenarios = tuple(said.scenario or SCENARIOS)
    seconds, long, starts = (3, 1000, 1) if said.brief else (said.seconds, said.interactions, 3)
    return Plan(seconds, said.rate, scenarios, long, said.seed, said.distinct, starts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 where something is not reached."""
    plan = plan_of(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the programs end as well
    own_and_its = cores()
    where = "one core for both" if own_and_its is None else "a core for each"
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()}, {where}; load average {load:.1f} before")
    if own_and_its is not None:
        pin(0, own_and_its[0])
    with tempfile.TemporaryDirectory() as folder:
        core = None if own_and_its is None else own_and_its[1]
        targets = asyncio.run(
            measured(plan, Path(folder), core, lambda text: print(text, flush=True))
        )
    print(f"\n{MEANING}\n")
    for target in targets:
        print(target)
    print(summary(targets))
    return int(not all(target.reached for target in targets))


if __name__ == "__main__":
    raise SystemExit(main())
