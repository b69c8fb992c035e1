"""A small language for the shape of a payload: what each key may hold, and what is wrong.

A check takes a value and the path to it, and yields what Discord would complain of. The
codes are those that Discord sends where they are known; the few that end in `_REFUSED` are
ours, for what Discord silently drops or answers with an error that is not of this form.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

SNOWFLAKE = re.compile(r"\d{1,20}")


@dataclass(frozen=True)
class Violation:
    """One thing wrong with a payload: where, which rule, in words."""

    path: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or '(payload)'}: {self.code}: {self.message}"


Check = Callable[[object, str], Iterator[Violation]]
Rule = Callable[[Mapping[str, Any], str], Iterator[Violation]]


def at(path: str, key: str | int) -> str:
    """The path of a part."""
    return f"{path}.{key}" if path else str(key)


def required(path: str) -> Violation:
    """What Discord says of a part that is absent or empty."""
    return Violation(path, "BASE_TYPE_REQUIRED", "This field is required")


def text(least: int = 0, most: int | None = None, *, trimmed: bool = False) -> Check:
    """Text of so many code points; `trimmed`: white space at its ends does not count."""

    def check(value: object, path: str) -> Iterator[Violation]:
        if not isinstance(value, str):
            yield Violation(path, "STRING_TYPE_CONVERT", f"Could not interpret {value!r} as string")
            return
        length = len(value.strip() if trimmed else value)
        if length == 0 and least:
            yield required(path)
        elif most is not None and not least <= length <= most:
            yield from _length(path, length, least, most)

    return check


def whole(least: int, most: int) -> Check:
    """A whole number in a range; a truth value is none."""

    def check(value: object, path: str) -> Iterator[Violation]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield Violation(path, "NUMBER_TYPE_COERCE", f"Value {value!r} is not int")
        else:
            yield from _range(path, value, least, most)

    return check


def number(least: float, most: float) -> Check:
    """A number in a range, whole or not."""

    def check(value: object, path: str) -> Iterator[Violation]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Violation(path, "NUMBER_TYPE_COERCE", f"Value {value!r} is not float")
        else:
            yield from _range(path, value, least, most)

    return check


def truth(value: object, path: str) -> Iterator[Violation]:
    """True or false."""
    if not isinstance(value, bool):
        yield Violation(path, "BOOLEAN_TYPE_CONVERT", "Must be either true or false")


def anything(_value: object, _path: str) -> Iterator[Violation]:
    """A part that is not looked into here."""
    yield from ()


def one_of(*values: str | int) -> Check:
    """One of a closed set."""

    def check(value: object, path: str) -> Iterator[Violation]:
        if isinstance(value, bool) or value not in values:
            yield Violation(path, "BASE_TYPE_CHOICES", f"Value must be one of {values}")

    return check


def snowflake(value: object, path: str) -> Iterator[Violation]:
    """An id: digits, as text or as a number."""
    if isinstance(value, bool) or not SNOWFLAKE.fullmatch(str(value)):
        yield Violation(path, "NUMBER_TYPE_COERCE", f"Value {value!r} is not snowflake")


def instant(value: object, path: str) -> Iterator[Violation]:
    """A moment as ISO 8601 writes it."""
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        yield Violation(path, "DATE_TIME_TYPE_PARSE", f"Could not parse {value!r}: not ISO 8601")


def url(most: int, *schemes: str) -> Check:
    """An address of one of the schemes."""

    def check(value: object, path: str) -> Iterator[Violation]:
        yield from text(1, most)(value, path)
        if (
            isinstance(value, str)
            and value
            and not re.match(rf"({'|'.join(schemes)})://\S+$", value)
        ):
            yield Violation(path, "URL_TYPE_INVALID_URL", f"Not a well formed URL of {schemes}")

    return check


def many(item: Check, least: int = 0, most: int | None = None, *, distinct: bool = False) -> Check:
    """A list of so many items; `distinct`: no item twice."""

    def check(value: object, path: str) -> Iterator[Violation]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            yield Violation(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return
        if not value and least:
            yield required(path)
        elif most is not None and not least <= len(value) <= most:
            yield from _length(path, len(value), least, most)
        for index, part in enumerate(value):
            yield from item(part, at(path, index))
        if distinct:
            yield from repeated(
                ((at(path, index), part) for index, part in enumerate(value)),
                "SET_TYPE_ALREADY_CONTAINS_VALUE",
                "The set already contains this value",
            )

    return check


def record(
    needed: Mapping[str, Check],
    may: Mapping[str, Check],
    *rules: Rule,
) -> Check:
    """A mapping: keys that must be there, keys that may be (or be null), then its own rules.

    The rules see only what has the right shape. A key that is neither is refused: Discord
    would drop it, so it is a slip.
    """

    def check(value: object, path: str) -> Iterator[Violation]:
        if not isinstance(value, Mapping):
            yield Violation(
                path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType"
            )
            return
        found = list(_parts(value, path))
        yield from found
        if not found:
            for rule in rules:
                yield from rule(value, path)

    def _parts(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
        for key in value:
            if key not in needed and key not in may:
                yield Violation(at(path, key), "UNKNOWN_KEY_REFUSED", "Discord knows no such key")
        for key, part in needed.items():
            if value.get(key) is None:
                yield required(at(path, key))
            else:
                yield from part(value[key], at(path, key))
        for key, part in may.items():
            if value.get(key) is not None:
                yield from part(value[key], at(path, key))

    return check


def by_type(shapes: Mapping[int, Check]) -> Check:
    """A mapping whose `type` says which shape it has."""

    def check(value: object, path: str) -> Iterator[Violation]:
        kind = value.get("type") if isinstance(value, Mapping) else None
        if isinstance(kind, bool) or not isinstance(kind, int) or kind not in shapes:
            known = tuple(sorted(shapes))
            message = f'Value of field "type" must be one of {known}'
            yield Violation(at(path, "type"), "UNION_TYPE_CHOICES", message)
        else:
            yield from shapes[kind](value, path)

    return check


def repeated(placed: Iterator[tuple[str, object]], code: str, message: str) -> Iterator[Violation]:
    """Each value, given with its path, that came before."""
    seen: set[str] = set()
    for path, value in placed:
        if repr(value) in seen:
            yield Violation(path, code, message)
        seen.add(repr(value))


def _length(path: str, length: int, least: int, most: int) -> Iterator[Violation]:
    if least and length:
        yield Violation(
            path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length"
        )
    elif length > most:
        yield Violation(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length")


def _range(path: str, value: float, least: float, most: float) -> Iterator[Violation]:
    if value < least:
        yield Violation(path, "NUMBER_TYPE_MIN", f"Should be greater than or equal to {least}")
    elif value > most:
        yield Violation(path, "NUMBER_TYPE_MAX", f"Should be less than or equal to {most}")
