"""Regular expressions that are compiled once they are asked for something.

There are some seven hundred. To compile them all takes a fifth of a start, and an answer needs one
in seven. Inside of a function `re.compile` does as well.
"""

import re
from typing import Any, cast


class _Compiled:
    """Stands for a pattern, and takes over each of its methods as it is first called."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._made: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever a pattern has)
        """Called for what is not here yet, so for each method once."""
        if self._made is None:
            self._made = re.compile(self.pattern, self._flags)
        found = getattr(self._made, name)
        setattr(self, name, found)
        return found


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`; a pattern that is wrong raises re.error where it is first used."""
    return cast("re.Pattern[str]", _Compiled(pattern, flags))
