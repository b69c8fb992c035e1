"""`python -m tests.accuracy.count FILE.jsonl [--compare | --held]`: counts training steps.

Reads rows of settings and prints each with its figures, as JSON lines. `--compare` prints how
far the figures are from those that the rows have; the last line is the summary. `--held`
prints what is held at the peak of forward and backward, largest first. COUNTING.md says how
to install what it needs.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.accuracy.counting.figures import difference, summary
from tests.accuracy.counting.settings import Settings, read_rows
from tests.accuracy.counting.step import count, held_at_peak

MOST_SHOWN = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Count every row of the file."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.count", description=__doc__)
    parser.add_argument("file", type=Path, help="JSON lines, one row of settings each")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--compare", action="store_true", help="against the rows' own figures")
    how.add_argument("--held", action="store_true", help="what is held at the peak")
    options = parser.parse_args(arguments)
    differences = []
    for row in read_rows(options.file):
        settings = Settings.of(row)
        figures = count(settings)
        if options.compare:
            differences.append(difference(row, figures))
            print(differences[-1], flush=True)
        elif options.held:
            print(f"{row['id']}: {figures.fwd_bwd_peak:,} at {figures.peak_op}")
            held = held_at_peak(settings, figures.fwd_bwd_peak)
            for name, (number, size_bytes) in list(held.items())[:MOST_SHOWN]:
                print(f"{size_bytes:20,} {number:6} {name}", flush=True)
        else:
            print(json.dumps(row | asdict(figures)), flush=True)
    if options.compare:
        for line in summary(differences):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
