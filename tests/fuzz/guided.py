"""Inputs that atheris makes, which sees what code each of them reaches.

It is importable only where atheris is installed, which nothing here needs.
"""

import sys

import atheris

from tests.fuzz.targets import Target

LONGEST = 6000  # bytes of an input


def run(target: Target, minutes: float) -> int:
    """Never returns: the process ends with what it found. Its output says how many it tried."""
    atheris.instrument_all()

    def one(offered: bytes) -> None:
        target.check(target.from_bytes(offered))

    seconds = round(60 * minutes)
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", f"-max_len={LONGEST}"], one)
    atheris.Fuzz()
    return 0
