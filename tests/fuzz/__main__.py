"""`python -m tests.fuzz TARGET --minutes N`: random inputs, for so long; `all` for each in turn.

With atheris, `python -m tests.fuzz.guided` chooses them by what they reach.
"""

import argparse
import traceback
from collections.abc import Sequence
from time import monotonic

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import TARGETS, Target

AT_ONCE = 100  # inputs of one seed
SHOWN = 600  # characters of an input that breaks something


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many inputs were tried, and each way in which one failed; 1 if one did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=(*TARGETS, "all"))
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first inputs")
    options = parser.parse_args(arguments)
    names = list(TARGETS) if options.target == "all" else [options.target]
    failed = [_tried(name, options.minutes / len(names), options.seed) for name in names]
    return int(any(failed))


def _tried(name: str, minutes: float, first: int) -> int:
    """How many ways to fail were found within so many minutes."""
    target, end, number = TARGETS[name], monotonic() + 60 * minutes, first
    tried, failures = 0, dict[str, str]()
    while monotonic() < end:
        count, failure = _round(target, number)
        tried, number = tried + count, number + 1
        if failure is not None:
            failures.setdefault(*failure)
    print(f"{name}: {tried} inputs, {len(failures)} ways to fail")
    for where, shown in failures.items():
        print(f"\n{where}\n{shown}")
    return len(failures)


def _round(target: Target, number: int) -> tuple[int, tuple[str, str] | None]:
    """How many inputs of one seed were tried; where it failed, and the least input that fails."""
    tried, least = 0, None

    @seed(number)
    @settings(
        max_examples=AT_ONCE,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs())
    def hold(offered: object) -> None:
        nonlocal tried, least
        tried += 1
        try:
            target.check(offered)
        except Exception:
            least = offered
            raise

    try:
        hold()
    except Exception as error:  # noqa: BLE001  (whatever it is, it is what is looked for)
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {last.filename}:{last.lineno}: {error}"
        return tried, (where.splitlines()[0][:SHOWN], ascii(least)[:SHOWN])
    return tried, None


if __name__ == "__main__":
    raise SystemExit(main())
