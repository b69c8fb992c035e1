"""Out-of-memory messages → what the bot reads in them, scored field by field.

A row says what its text says (`expect`): its kind, its figures as they stand there, counts and
words. Each is a field; all are in the denominator. `hint` and `note` are for people.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.reading.oom import read_oom
from bot.reading.oom.message import OomMessage
from estimator import KIB, THOUSAND
from tests.accuracy.queries import Field, Mark, summary

Row = Mapping[str, Any]

FOR_PEOPLE = ("hint", "note")
TOLERANCE = 0.01  # of a figure: a text has two decimals
DECIMAL = ("guardrail_estimate", "metal_oom")  # whose programs count a GB as 1000 MB
# One figure under another name, where the text has no word for it: `of 31.25G hbm` is a total, a
# limit, or what is available. It must be the same figure all the same.
OTHER_NAMES = {
    "kv_cache_bytes": ("kv_cache",),
    "tried_bytes": ("tried",),
    "available": ("free", "total", "limit"),
    "limit": ("total",),
    "total": ("limit",),
    "max_model_len": ("max_seq_len",),
    "max_seq_len": ("max_model_len",),
}
_SIZE = re.compile(r"(-?[\d.]+) ?([KMGT]?)(i?)(B|bytes)?")


def score(row: Row) -> list[Field]:
    """The fields of one row."""
    message = read_oom(row["text"])
    expect = row["expect"]
    return [_field(row, key, message) for key in expect if key not in FOR_PEOPLE]


def _field(row: Row, key: str, message: OomMessage | None) -> Field:
    expected = row["expect"][key]
    found = None if message is None else found_in(message, key)
    if found is None:
        mark = Mark.UNANSWERED
    else:
        decimal = row["expect"]["kind"] in DECIMAL
        mark = Mark.RIGHT if same(expected, found, decimal=decimal) else Mark.WRONG
    return Field(row["id"], key, expected, found, mark)


def found_in(message: OomMessage, key: str) -> object:
    """What the message has under a name of the rows; None for nothing."""
    match key:
        case "kind":
            return str(message.kind)
        case "incomplete":
            return message.incomplete
        case "shape":
            return list(message.shape) or None
        case "other_processes":
            listed = [{"pid": one.pid, "used": one.used_bytes} for one in message.processes]
            return listed or None
    for name in (key, *OTHER_NAMES.get(key, ())):
        for held in (message.figures, message.counts, message.words):
            if name in held:
                return held[name]
    return None


def same(expected: object, found: object, *, decimal: bool) -> bool:
    """Sizes as bytes to a hundredth, everything else alike."""
    match expected, found:
        case list(), list():
            pairs = zip(expected, found, strict=False)
            return len(expected) == len(found) and all(
                same(one, other, decimal=decimal) for one, other in pairs
            )
        case dict(), dict():
            return all(same(expected[name], found[name], decimal=decimal) for name in expected)
        case bool(), _:
            return expected is found
        case str(), int() | float():
            size = bytes_of(expected, decimal=decimal)
            return size is not None and abs(found - size) <= TOLERANCE * abs(size)
        case int() | float(), int() | float():
            return abs(found - expected) <= TOLERANCE * abs(expected)
    return str(expected).casefold() == str(found).casefold()


def bytes_of(text: str, *, decimal: bool) -> float | None:
    """The bytes of a row's figure."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    step = THOUSAND if decimal and not match[3] else KIB
    unit: int = step ** " KMGT".index(match[2] or " ")
    return float(match[1]) * unit


def scores_of(rows: Iterable[Row]) -> list[Field]:
    """Every field of every row."""
    return [field for row in rows for field in score(row)]


def report(fields: Sequence[Field], worst: int) -> Iterator[str]:
    """A line a key, fields that are not right, and the summary last."""
    groups: dict[str, list[Field]] = defaultdict(list)
    for field in fields:
        groups[field.key].append(field)
    for name, group in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        yield f"{name:22} {summary(group)}"
    for one in [field for field in fields if field.mark is not Mark.RIGHT][:worst]:
        expected, found = (json.dumps(v, ensure_ascii=False) for v in (one.expected, one.found))
        yield f"{one.mark:10} {one.id} {one.key}: {expected}, and not {found}"
    yield f"overall {summary(fields)}"
