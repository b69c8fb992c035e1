"""How a record is written: a line for people, or a JSON object for programs; one line each.

Both say the id of what was being answered, and neither what was asked. An error's own words may
repeat it (a text that is no number, a key that is not there). So where somebody was being answered,
an error is told by its types and places, and by its words only if the settings say so.
"""

import json
import logging
import re
import time
import traceback
from collections.abc import Iterator, Sequence
from copy import copy
from types import TracebackType
from typing import Any

from bot.ops.answering import answering
from bot.ops.redaction import redact

FORM = "%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s%(shown_id)s: %(message)s"
CLOCK = "%Y-%m-%dT%H:%M:%S"
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SHARD = re.compile(r"\bShard ID (\d+)\b")  # as discord.py says it
REPEATING = "asyncio"  # a logger whose messages repeat tasks, and so their errors and arguments
MOST_ERRORS = 8  # of a chain
NUMBERS = ("status", "code", "errno")  # of an error, which say much and repeat nothing

ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def prepared(record: logging.LogRecord, *, questions: bool) -> logging.LogRecord:
    """A copy whose texts are final, made where the record was: there it is known who is answered.

    `questions`: whether they may hold what people asked.
    """
    now, made = answering(), copy(record)
    words = questions or (now is None and record.name != REPEATING)
    message = record.getMessage()
    if record.name == REPEATING and not words:
        message = message.partition("\n")[0].partition("(")[0].partition("<")[0].rstrip()
    made.msg = made.message = message
    made.args = None
    made.exc_text = None
    if record.exc_info and record.exc_info[1] is not None:
        made.exc_text = told(record.exc_info[1], words=words)
    made.exc_info = None
    shard = SHARD.search(message)
    made.answering = now.id if now else ""
    made.shard = int(shard[1]) if shard else now.shard if now else None
    return made


def told(error: BaseException, *, words: bool) -> str:
    """An error with its places and what led to it; without `words` nothing that it says itself."""
    if words:
        return "".join(traceback.format_exception(error)).rstrip()
    return "\n\n".join(_without_words(one) for one in reversed([*_chain(error)]))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it came of, and so on; of a group all that it holds."""
    waiting, seen = [error], 0
    while waiting and seen < MOST_ERRORS:
        one = waiting.pop(0)
        seen += 1
        yield one
        before = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
        waiting += [*([before] if before else ()), *getattr(one, "exceptions", ())]


def _without_words(error: BaseException) -> str:
    places = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    numbers = [
        f"{key} {value}" for key in NUMBERS if type(value := getattr(error, key, None)) is int
    ]
    said = f": {', '.join(numbers)}" if numbers else ""
    return f"Traceback (most recent call last):\n{places}{name}{said}"


class Form(logging.Formatter):
    """What both forms have in common: they clean last of all."""

    converter = staticmethod(time.gmtime)

    def __init__(self, secrets: Sequence[str], *, questions: bool = False) -> None:
        super().__init__(FORM, CLOCK)
        self.questions = questions
        self._secrets = secrets

    def prepared(self, record: logging.LogRecord) -> logging.LogRecord:
        """The record with final texts, as it may have been made before."""
        if hasattr(record, "answering"):
            return record
        return prepared(record, questions=self.questions)

    def clean(self, text: str) -> str:
        """A text without secrets."""
        return redact(text, self._secrets)


class OneLine(Form):
    """A record with its traceback as one printable line."""

    def format(self, record: logging.LogRecord) -> str:
        made = copy(self.prepared(record))
        number: str = made.answering  # type: ignore[attr-defined]  # set by `prepared`
        made.shown_id = f" [{number}]" if number else ""
        return escaped(self.clean(super().format(made)))


class JsonLine(Form):
    """A record as one JSON object in ASCII: nothing in it can be taken for anything else."""

    def format(self, record: logging.LogRecord) -> str:
        made: Any = self.prepared(record)
        said: dict[str, object] = {
            "time": f"{self.formatTime(made, CLOCK)}.{int(made.msecs):03d}Z",
            "level": made.levelname.lower(),
            "logger": self.clean(made.name),
            "message": self.clean(made.message),
        }
        if made.answering:
            said["id"] = made.answering
        if made.shard is not None:
            said["shard"] = made.shard
        if made.exc_text:
            said["exception"] = self.clean(made.exc_text)
        if made.stack_info:
            said["stack"] = self.clean(made.stack_info)
        return json.dumps(said)


def escaped(text: str) -> str:
    """A text on one line, in which nothing steers a terminal."""
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
