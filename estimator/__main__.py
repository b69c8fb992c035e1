"""`python -m estimator`: one JSON request a line in, one JSON answer a line out.

A line that is no request is answered with an error document, and the next line goes on.
Input is UTF-8, output ASCII, whatever the environment's encoding.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from estimator.answering import answer_document
from estimator.catalog import Catalog, load_catalog
from estimator.document import error_document
from estimator.errors import BadRequest
from estimator.parsing import EXAMPLE

INTERRUPTED = 130
LONGEST_LINE = 262_144  # bytes; a request with a whole config.json stays far below


def answer_line(line: bytes, catalog: Catalog) -> dict[str, Any]:
    """The answer to one line of JSON."""
    if len(line) > LONGEST_LINE:
        problem = f"a line is at most {LONGEST_LINE:,} bytes, this one has more"
        return error_document(BadRequest("request", problem), None)
    try:
        document = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        problem = "is not JSON"
        return error_document(BadRequest("request", problem, suggestions=(EXAMPLE,)), None)
    return answer_document(document, catalog)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `stream`, each read no further than is needed to see that it is too long."""
    while line := stream.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 1) or b"\n"
        yield line


def main() -> int:
    """Answer every line of standard input."""
    argparse.ArgumentParser(prog="python -m estimator", description=__doc__).parse_args()
    if sys.stdin is None:  # closed by whoever started this
        return 0
    catalog = load_catalog()
    try:
        for line in lines_of(sys.stdin.buffer):
            if line.strip():
                print(json.dumps(answer_line(line, catalog)), flush=True)
    except BrokenPipeError:  # whoever read has enough, as `head` has
        sys.stdout = None  # nothing is left to be flushed to
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
