"""`python -m estimator`: one JSON request a line in, one JSON answer a line out.

A line that is no request is answered with an error document, and the next line goes on.
"""

import json
import sys
from typing import Any

from estimator.answering import answer_document, error_document
from estimator.catalog import Catalog, load_catalog
from estimator.errors import BadRequest
from estimator.request import EXAMPLE

LONGEST_LINE = 262_144  # characters; a request with a whole config.json stays far below


def answer_line(line: str, catalog: Catalog) -> dict[str, Any]:
    """The answer to one line of JSON."""
    if len(line) > LONGEST_LINE:
        problem = f"a line is at most {LONGEST_LINE:,} characters, this one has {len(line):,}"
        return error_document(BadRequest("request", problem), None)
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        problem = "is not JSON"
        return error_document(BadRequest("request", problem, suggestions=(EXAMPLE,)), None)
    return answer_document(document, catalog)


def main() -> int:
    """Answer every line of standard input."""
    catalog = load_catalog()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer_line(line, catalog), ensure_ascii=False), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
