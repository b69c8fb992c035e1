"""What must hold of everything that is said, whatever was typed."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from bot.ask import Answered, Desk, Refused, Replied, Tabled
from bot.reading.facts import NotUnderstoodError
from bot.reading.options import Options
from bot.reading.read import Reader
from bot.reading.reading import Reading

PINGING = re.compile(r"@(?:everyone|here)|<[@#]|<a?:\w+:\d|</\w|<t:\d", re.IGNORECASE)
STEERING = ("Cc", "Cf", "Cs", "Co", "Cn")  # categories of what shows nothing, or steers


class UnsafeError(AssertionError):
    """Something that was said, and must not be."""


def check_reading(text: str, reader: Reader) -> None:
    """A reading whose line says the same again, or an error with lines that can be read."""
    found = _read(text, reader)
    if isinstance(found, Reading):
        again = _read(found.line, reader)
        if not isinstance(again, Reading) or again.request != found.request:
            raise UnsafeError(f"the line {found.line!r} is another request")
        return
    if not found.message and not found.choices:
        raise UnsafeError("an error without words")
    for line in found.lines:
        offered = _read(line, reader)
        if isinstance(offered, NotUnderstoodError) and not offered.choices:
            raise UnsafeError(f"the line {line!r} is offered and cannot be read")
    for said in (found.message, *found.lines):
        _check_text(said)


def check_asking(text: str, desk: Desk, options: Options | None = None) -> None:
    """Whatever comes back is safe to show, and what it offers is answered."""
    found = desk.ask(text, options)
    for said in _texts(found):
        _check_text(said)
    for line in _lines(found):
        if isinstance(desk.ask(line), Refused):
            raise UnsafeError(f"the line {line!r} is offered and refused")


def check_ahead(text: str, desk: Desk) -> None:
    """What is said and listed while a line is typed is safe to show."""
    found = desk.ahead(text, {})
    for said in (found.unfinished, *found.lines, *_within(found.shown)):
        _check_text(said)


def _read(text: str, reader: Reader) -> Reading | NotUnderstoodError:
    try:
        return reader.read(text)
    except NotUnderstoodError as error:
        return error


def _lines(found: Answered) -> tuple[str, ...]:
    """What can be typed next."""
    if isinstance(found, Replied):
        return (found.presentation.line,)
    return tuple(found.shown.lines)


def _texts(found: Answered) -> Iterator[str]:
    """Every text of what is shown, and the notes."""
    yield from _within(found.shown)
    if isinstance(found, Replied | Tabled):
        yield from found.notes


def _within(value: object) -> Iterator[str]:
    if isinstance(value, Enum) or value is None:
        return
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _within(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from _within(pair)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _within(one)


def _check_text(said: str) -> None:
    steering = [c for c in said if c != "\n" and unicodedata.category(c) in STEERING]
    if steering:
        raise UnsafeError(f"{said!r} holds {steering!r}")
    if PINGING.search(said):
        raise UnsafeError(f"{said!r} could ping or link")
    if said.count("`") % 2:
        raise UnsafeError(f"a code span of {said!r} stays open")
