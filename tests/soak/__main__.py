"""`python -m tests.soak --minutes N`: the whole bot, used and harmed at random, for so long.

Nothing may be lost, nothing may grow, and no rule of Discord's may be broken.
"""

import argparse
import asyncio
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.soak.ledger import kinds
from tests.soak.soaking import Soak, soaked
from tests.soak.watching import HOUR_S, slope_mb_an_hour, starved

MINUTE_S = 60
MOST_IDENTIFIES = 50  # an hour


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is seen; 1 where something was lost, grew or was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=2, help="of what is done, a second")
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the program ends as well
    with tempfile.TemporaryDirectory() as folder:
        soak = asyncio.run(
            soaked(said.minutes * MINUTE_S, said.rate, said.seed, Path(folder), _say)
        )
    return _told(soak, said.minutes * MINUTE_S)


def _say(text: str) -> None:
    print(text, flush=True)


def _told(soak: Soak, seconds: float) -> int:
    """The end of it."""
    print("\n" + "\n".join(kinds(soak.ledger)))
    print("\nharms: " + ", ".join(f"{name} {times}" for name, times in soak.harms.items()))
    an_hour = soak.identifies * HOUR_S / max(seconds, HOUR_S)
    print(f"IDENTIFY {soak.identifies}, RESUME {soak.resumes}")
    print(f"RSS {slope_mb_an_hour(soak.looks):+.1f} MB an hour, by a straight line")
    print(f"{starved(soak.looks):.0%} of the time it wanted a core that other programs had")
    for each in soak.ledger.latest:
        print(f"lost: {each}")
    faults = list(soak.faults)
    if an_hour > MOST_IDENTIFIES:
        faults.append(f"{soak.identifies} IDENTIFYs")
    print("overall: " + ("; ".join(faults) if faults else "nothing lost, nothing grew"))
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
