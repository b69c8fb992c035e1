"""Lines that were read lately: one is read several times on its way to an answer, and after it.

Each letter that somebody types reads the same lines that it may become, each press the line of
its answer. What a line says follows from its words and the tables alone, so a reading that is
given again is what would be read anew.
"""

from collections.abc import Callable
from functools import lru_cache

from bot.reading.facts import NotUnderstoodError
from bot.reading.options import Options
from bot.reading.reading import Reading

LINES = 512  # about 4 kB each
LONGEST = 300  # characters of a line: what is pasted is read once

Read = Callable[[str, Options | None], Reading]
Given = tuple[tuple[str, str | int], ...]  # options, in their order


class Lately:
    """Reads as `read` does, and the same line only once in a while; from any thread."""

    def __init__(self, read: Read) -> None:
        self._anew = read
        self._found = lru_cache(maxsize=LINES)(self._outcome)

    def read(self, text: str, options: Options | None) -> Reading:
        """The request that `text` makes; raises NotUnderstoodError, each time another one."""
        given = tuple((options or {}).items())
        if len(text) + sum(len(str(value)) for _, value in given) > LONGEST:
            return self._anew(text, options)
        found = self._found(text, given)
        if isinstance(found, NotUnderstoodError):
            raise found.again()
        return found

    def _outcome(self, text: str, given: Given) -> Reading | NotUnderstoodError:
        try:
            return self._anew(text, dict(given))
        except NotUnderstoodError as error:
            return error.again()
