"""Where the kept answers lie, and what they would be now."""

import json
from pathlib import Path

from estimator import answer_document, load_catalog
from tests.golden.cases import GOLDEN
from tests.golden.text import text_of

FOLDER = Path(__file__).parent


def path_of(case: str) -> Path:
    """The file of one case."""
    return FOLDER / f"{case}.txt"


def current(case: str) -> str:
    """What the case is answered with now, by way of JSON, as everyone else gets it."""
    request = dict(GOLDEN[case])
    answered = json.loads(json.dumps(answer_document(request, load_catalog())))
    return text_of(request, answered)


def kept() -> set[str]:
    """The cases that have a file."""
    return {path.stem for path in FOLDER.glob("*.txt")}
