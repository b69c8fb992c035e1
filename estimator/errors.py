"""What can go wrong with a question, as one tree.

    EstimatorError
    ├── BadRequest        a field has the wrong type, is unknown, or is out of range
    ├── UnknownName       a model, card, optimizer or format that is in no table
    ├── Contradiction     two things were asked that exclude each other
    └── Unsupported       understood, and not estimated: saying so beats a wrong number

Each holds its values; `message` says what was understood, what is wrong and
what to write instead; `suggestions` are things to type, best first.
"""

from collections.abc import Sequence
from typing import ClassVar

LONGEST_SHOWN = 60  # characters of a stranger's name
UNSHOWN = "`@<>[]()"  # what could ping or link, wherever the message is shown


class EstimatorError(Exception):
    """Root of everything that a question can raise."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = tuple(suggestions)


class BadRequest(EstimatorError):
    """A request that is not well formed; `field` names the culprit."""

    code = "bad_request"

    def __init__(self, field: str, problem: str, *, suggestions: Sequence[str] = ()) -> None:
        super().__init__(f"`{field}`: {problem}", suggestions=suggestions)
        self.field = field
        self.problem = problem


def shown(name: str) -> str:
    """A name that a stranger gave, as it may stand in a message: printable ASCII, and cut."""
    plain = "".join(c for c in name if c.isascii() and c.isprintable() and c not in UNSHOWN)
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[: LONGEST_SHOWN - 3]}..."


class UnknownName(EstimatorError):
    """A name that is in no table; `suggestions` are the closest that are."""

    code = "unknown_name"

    def __init__(self, kind: str, name: str, *, closest: Sequence[str] = ()) -> None:
        hint = f" Closest: {', '.join(f'`{c}`' for c in closest)}." if closest else ""
        super().__init__(f"I know no {kind} called `{shown(name)}`.{hint}", suggestions=closest)
        self.kind = kind
        self.name = name


class Contradiction(EstimatorError):
    """Two wishes that cannot both hold; `fields` names them."""

    code = "contradiction"

    def __init__(
        self, fields: Sequence[str], problem: str, *, suggestions: Sequence[str] = ()
    ) -> None:
        super().__init__(problem, suggestions=suggestions)
        self.fields = tuple(fields)


class Unsupported(EstimatorError):
    """Understood, but there is no estimate for it."""

    code = "unsupported"

    def __init__(self, field: str, problem: str, *, suggestions: Sequence[str] = ()) -> None:
        super().__init__(problem, suggestions=suggestions)
        self.field = field
