"""`python -m tests.accuracy KIND FILE [--rows OUT.jsonl] [--worst N]`: scores a file of rows."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.accuracy import measured, oom, queries
from tests.accuracy.truth import Row, read_rows, report, score

OWN_KEYS = {
    "truth": "recipe",
    "measured": "settings",
    "queries": "outcome",
    "oom": "expect",
}  # what only rows of a kind have


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; what was not expressed counts as wrong, never as left out."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("kind", choices=tuple(OWN_KEYS))
    parser.add_argument("file", type=Path, help="JSON lines, one row each")
    parser.add_argument("--rows", type=Path, help="write every row with its estimate here")
    parser.add_argument("--worst", type=int, default=5, help="how many of the worst rows to show")
    options = parser.parse_args(arguments)
    match options.kind:
        case "measured":
            return _measured(options)
        case "queries":
            return _queries(options)
        case "oom":
            return _oom(options)
    scores = [score(row) for row in _rows_of(options.file, "truth")]
    if options.rows is not None:
        lines = (json.dumps(asdict(scored), ensure_ascii=False) for scored in scores)
        options.rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for line in report(scores, options.worst):
        print(line)
    return 0


def _rows_of(file: Path, kind: str) -> list[Row]:
    """The file's rows; ends with a word where it is no file of that kind."""
    try:
        rows = read_rows(file)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{file}: {error}") from None
    key = OWN_KEYS[kind]
    if not rows or any(key not in row for row in rows):
        raise SystemExit(f"{file}: no rows of the kind `{kind}`, which have `{key}`")
    return rows


def _measured(options: argparse.Namespace) -> int:
    rows = _rows_of(options.file, "measured")
    if options.rows is not None:
        scores, _ = measured.scores_of(rows)
        options.rows.write_text(measured.written(scores), encoding="utf-8")
    for line in measured.report(rows, options.worst):
        print(line)
    return 0


def _queries(options: argparse.Namespace) -> int:
    fields = queries.scores_of(_rows_of(options.file, "queries"))
    if options.rows is not None:
        options.rows.write_text(queries.written(fields), encoding="utf-8")
    for line in queries.report(fields, options.worst):
        print(line)
    return 0


def _oom(options: argparse.Namespace) -> int:
    fields = oom.scores_of(_rows_of(options.file, "oom"))
    if options.rows is not None:
        options.rows.write_text(queries.written(fields), encoding="utf-8")
    for line in oom.report(fields, options.worst):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
