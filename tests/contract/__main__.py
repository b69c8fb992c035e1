"""`python -m tests.contract PATH`: what the bot sends, against Discord's OpenAPI document."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.contract.document import Document
from tests.contract.judging import BAD, Outcome, Records, Verdict, judge, read_records
from tests.wire.recording import VARIABLE

TESTS = ("-q", "-n", "auto", "tests/wire")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests, judge what was recorded, print the report; 0 only if all of it holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.add_argument("--records", type=Path, help="judge this folder, and run no tests")
    parser.add_argument("document", type=Path, metavar="PATH", help="openapi.json of Discord")
    parser.add_argument(
        "tests",
        nargs=argparse.REMAINDER,
        help=f"what pytest is given, if not {' '.join(TESTS)}",
    )
    options = parser.parse_args(arguments)
    if not options.document.is_file():
        parser.error(f"{options.document} is no file")
    document = Document.read(options.document)
    if options.records is not None:
        return conclude(document, read_records(options.records))
    with tempfile.TemporaryDirectory() as folder:
        status = run_tests(options.tests or TESTS, Path(folder))
        if status:
            print(f"the tests failed: pytest ended with {status}")
        return conclude(document, read_records(Path(folder))) or status


def run_tests(arguments: Sequence[str], folder: Path) -> int:
    """Run pytest with recording on; its exit status."""
    environment = {**os.environ, VARIABLE: str(folder)}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def conclude(document: Document, records: Records) -> int:
    """Print the report; the exit status."""
    verdicts = [judge(document, request) for request in records.requests]
    for line in report(verdicts, records):
        print(line)
    count = Counter(verdict.outcome for verdict in verdicts)
    return 0 if count[Outcome.VALID] and not any(count[bad] for bad in BAD) else 1


def report(verdicts: Sequence[Verdict], records: Records) -> Iterator[str]:
    """Counts by kind, every failure, and the overall line last."""
    yield from _counts("validated", verdicts, Outcome.VALID, Outcome.FAILED)
    yield from _counts("calls without a body", verdicts, Outcome.WITHOUT_BODY)
    yield from _counts("wrong on purpose, to try the stand-in", verdicts, Outcome.ON_PURPOSE)
    frames: Counter[str] = Counter()
    for counted in records.frames:
        frames.update(counted)
    yield from _table("frames of the gateway, which the document does not describe", frames)
    for outcome in BAD:
        yield from _complaints(outcome, verdicts)
    count = Counter(verdict.outcome for verdict in verdicts)
    failed, unmatched = count[Outcome.FAILED], count[Outcome.UNMATCHED]
    yield f"overall n={count[Outcome.VALID] + failed} failed={failed} unmatched={unmatched}"


def _counts(title: str, verdicts: Sequence[Verdict], *outcomes: Outcome) -> Iterator[str]:
    kinds = Counter(verdict.kind for verdict in verdicts if verdict.outcome in outcomes)
    yield from _table(title, kinds)


def _table(title: str, counts: Counter[str]) -> Iterator[str]:
    if counts:
        yield f"{title}: {counts.total()}"
        yield from (f"{count:7}  {kind}" for kind, count in sorted(counts.items()))


def _complaints(outcome: Outcome, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each way to be wrong once, with how often and with a test that shows it."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is outcome:
            key = (verdict.call, verdict.kind, verdict.complaints)
            alike.setdefault(key, []).append(verdict.test)
    for (call, kind, complaints), tests in alike.items():
        yield f"{outcome} ×{len(tests)}: {call}" + (f" as {kind}" if kind != call else "")
        yield f"    in {tests[0] or 'no test'}"
        yield from (f"    {complaint}" for complaint in complaints)


if __name__ == "__main__":
    sys.exit(main())
