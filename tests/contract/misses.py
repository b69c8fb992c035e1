"""Where a payload misses its schema, said of the part that is wrong."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

LONGEST = 160  # characters of a message, which quotes the value


@dataclass(frozen=True)
class Miss:
    """One thing wrong with a payload: its path, and in words."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or '(payload)'}: {self.message}"


def misses(validator: Draft202012Validator, payload: object) -> Iterator[Miss]:
    """Everything in which a payload misses a schema, each once, sorted by path."""
    errors = sorted(_causes(validator.iter_errors(payload)), key=lambda one: str(_where(one)))
    yield from dict.fromkeys(Miss(".".join(map(str, _where(one))), _said(one)) for one in errors)


def _causes(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """The innermost causes of misses.

    A union's miss says only that no member fits. The member that was meant is the one of the
    payload's shape and `type`, or else the one with the fewest causes; those are what is wrong.
    """
    for error in errors:
        members: dict[Any, list[ValidationError]] = {}
        for cause in error.context or ():
            members.setdefault(cause.schema_path[0], []).append(cause)
        if not members or _is_enumeration(error):
            yield error
        else:
            meant = min(members.values(), key=_disagreement)
            yield from _causes(meant)


def _disagreement(causes: Sequence[ValidationError]) -> tuple[bool, bool, int]:
    """How unlikely a member of a union is the one that was meant."""
    other_shape = any(not cause.path and cause.validator == "type" for cause in causes)
    other_type = any(list(cause.path) == ["type"] for cause in causes)
    return other_shape, other_type, sum(1 for _ in _causes(causes))


def _is_enumeration(error: ValidationError) -> bool:
    """Whether a union's members are single values, as the document writes its closed sets."""
    return all(not cause.path and cause.validator == "const" for cause in error.context or ())


def _where(error: ValidationError) -> list[str | int]:
    return list(error.absolute_path)


def _said(error: ValidationError) -> str:
    """The message, short where it quotes a long value."""
    if error.context:
        values = ", ".join(repr(cause.validator_value) for cause in error.context)
        return _short(f"{error.instance!r} is none of {values}")
    return _short(error.message)


def _short(message: str) -> str:
    if len(message) <= LONGEST:
        return message
    half = LONGEST // 2
    return f"{message[:half]} … {message[-half:]}"
