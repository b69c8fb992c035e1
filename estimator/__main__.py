"""`python -m estimator`: one JSON request a line in, one JSON answer a line out.

A line that is no request is answered with an error document, and the next line goes on.
Input is UTF-8, output ASCII, whatever the environment's encoding.
"""

import argparse
import json
import os
import sys
from typing import Any, NoReturn

from estimator.answering import answer_document, error_document
from estimator.catalog import Catalog, load_catalog
from estimator.errors import BadRequest
from estimator.request import EXAMPLE

LONGEST_LINE = 262_144  # bytes; a request with a whole config.json stays far below


def answer_line(line: bytes, catalog: Catalog) -> dict[str, Any]:
    """The answer to one line of JSON."""
    if len(line) > LONGEST_LINE:
        problem = f"a line is at most {LONGEST_LINE:,} bytes, this one has {len(line):,}"
        return error_document(BadRequest("request", problem), None)
    try:
        document = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        problem = "is not JSON"
        return error_document(BadRequest("request", problem, suggestions=(EXAMPLE,)), None)
    return answer_document(document, catalog)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def main() -> int:
    """Answer every line of standard input."""
    argparse.ArgumentParser(prog="python -m estimator", description=__doc__).parse_args()
    catalog = load_catalog()
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            print(json.dumps(answer_line(line, catalog)), flush=True)
        except BrokenPipeError:  # whoever read has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
