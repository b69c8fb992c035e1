"""`python -m tests.fuzz.guided TARGET --minutes N`: inputs by what code each of them reaches.

It needs atheris, which nothing else here does; its output says how many it tried.
"""

import argparse
import sys
from pathlib import Path
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["bot"]):
    from tests.fuzz.targets import TARGETS
    from tests.fuzz.texts import questions

LONGEST = 6000  # bytes of an input


def main() -> None:
    """Never returns: the process ends with what it found, or with its time."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("target", choices=tuple(TARGETS))
    parser.add_argument("--minutes", type=float, default=1)
    options = parser.parse_args()
    target = TARGETS[options.target]
    kept = Path(mkdtemp(prefix="fuzz-"))
    for number, text in enumerate(questions()):
        (kept / str(number)).write_text(text, encoding="utf-8")
    seconds = round(60 * options.minutes)
    limits = (f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-artifact_prefix={kept}/")
    atheris.Setup(
        [sys.argv[0], *limits, str(kept)],
        lambda offered: target.check(target.from_bytes(offered)),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
