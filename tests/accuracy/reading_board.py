"""The table that README shows: how many fields of questions and messages are read right.

One line a kind of question, one a language, one a file of out-of-memory messages.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.accuracy import oom, queries
from tests.accuracy.queries import Field, Mark
from tests.accuracy.truth import read_rows

HERE = Path(__file__).parent
KINDS = {  # of questions, within the width of a phone
    "q-en": "plain",
    "q-messy": "messy",
    "q-i18n": "nine languages",
    "q-bad": "impossible",
    "q-hostile": "hostile",
}
LANGUAGES = {
    "pt-BR": "Portuguese", "es-ES": "Spanish", "fr": "French", "de": "German", "ru": "Russian",
    "hi": "Hindi", "zh-CN": "Chinese", "ja": "Japanese", "ko": "Korean",
}  # fmt: skip


def read_lines() -> Iterator[str]:
    """Questions by kind, those of each language, and messages by file."""
    yield f"read rows{'fields':>12}{'right':>8}{'wrong':>8}"
    asked = queries.scores_of_file(HERE / "queries.jsonl")
    for kind, name in KINDS.items():
        yield _line(name, [field for field in asked if field.kind == kind])
    yield _line("own questions", queries.scores_of_file(HERE / "own_queries.jsonl"))
    for code, name in LANGUAGES.items():
        yield _line(name, queries.scores_of_file(HERE / "languages" / f"{code}.jsonl"))
    for file in sorted(HERE.glob("*oom.jsonl")):
        fields = [field for row in read_rows(file) for field in oom.score(row)]
        yield _line(file.stem.replace("_", " ").replace("oom", "OOM"), fields)


def _line(name: str, fields: Sequence[Field]) -> str:
    right, wrong = (
        sum(field.mark is mark for field in fields) / len(fields)
        for mark in (Mark.RIGHT, Mark.WRONG)
    )
    return f"{name:15}{len(fields):6}{right:8.1%}{wrong:8.1%}"
