"""Questions as people write them → what the bot made of each, scored field by field.

A row says what must come back (`outcome`) and what the text says (`expect`). Each is a
field; all are in the denominator. A value counts only in the kind of reply that the row
asks for: of an answer where one is due, of a refusal where the question cannot be answered.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from bot.ask import Desk, open_desk
from tests.accuracy.query_meanings import same
from tests.accuracy.query_replies import Reply, reply_to
from tests.accuracy.truth import read_rows

Row = Mapping[str, Any]

ANSWERED = ("answer", "any")  # outcomes whose values stand in an answer
KINDS = ("q-en", "q-messy", "q-i18n", "q-bad", "q-hostile")


class Mark(StrEnum):
    """What became of a field."""

    RIGHT = "right"
    WRONG = "wrong"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one question: what it should say, and what was made of it."""

    id: str
    key: str
    expected: object
    found: object
    mark: Mark

    @property
    def kind(self) -> str:
        return self.id.rpartition("-")[0]


def score(row: Row, desk: Desk, before: Row | None = None) -> list[Field]:
    """The fields of one row: its outcome, then each key of what it expects.

    `before`: the row whose answer it replies to.
    """
    reply = reply_to(row["text"], desk, None if before is None else before["text"])
    due, came = row["outcome"], reply.outcome
    right = due in (came, "any")
    fields = [Field(row["id"], "outcome", due, came, Mark.RIGHT if right else Mark.WRONG)]
    counts = (came == "answer") is (due in ANSWERED) or due == "any"
    return fields + [_field(row, key, reply, counts=counts) for key in row["expect"]]


def _field(row: Row, key: str, reply: Reply, *, counts: bool) -> Field:
    expected = row["expect"][key]
    found = reply.value(key) if counts else None
    if key == "optimizer" and "optimizer_in_bwd" in row["expect"] and isinstance(found, str):
        found = found.removesuffix("_layerwise")  # which has a key of its own there
    if found in (None, [], ""):
        mark = Mark.UNANSWERED
    else:
        mark = Mark.RIGHT if same(key, expected, found, reply.catalog) else Mark.WRONG
    return Field(row["id"], key, expected, found, mark)


def scores_of(rows: Sequence[Row]) -> list[Field]:
    """Every field of every row, by the desk that the terminal and Discord ask."""
    desk = open_desk()
    by_id = {row["id"]: row for row in rows}
    return [field for row in rows for field in score(row, desk, by_id.get(replied_to(row) or ""))]


@cache
def scores_of_file(file: Path) -> tuple[Field, ...]:
    """The same of a file's rows, once: several tables count them."""
    return tuple(scores_of(read_rows(file)))


def replied_to(row: Row) -> str | None:
    """The id of the row just before one that follows up: `q-en-057` of `q-en-058`."""
    note = row.get("note")
    if not (isinstance(note, Mapping) and note.get("follow_up")):
        return None
    kind, _, number = row["id"].rpartition("-")
    return f"{kind}-{int(number) - 1:0{len(number)}}" if number.isdecimal() else None


def summary(fields: Sequence[Field]) -> str:
    """How many fields, and what became of them in percent."""
    shares = {mark: sum(f.mark is mark for f in fields) / len(fields) for mark in Mark}
    return f"n={len(fields)} " + " ".join(f"{m}={100 * part:.1f}%" for m, part in shares.items())


def share_right(fields: Iterable[Field], keys: Iterable[str], kinds: Iterable[str]) -> float:
    """The part of some keys' fields that is right, in some kinds of rows; percent."""
    asked = [f for f in fields if f.key in set(keys) and f.kind in set(kinds)]
    return 100 * sum(f.mark is Mark.RIGHT for f in asked) / len(asked)


def report(fields: Sequence[Field], worst: int) -> Iterator[str]:
    """A line a key and a kind of question, fields that are not right, and the summary last."""
    for name, group in (*_grouped(fields, "key"), *_grouped(fields, "kind")):
        yield f"{name:16} {summary(group)}"
    order = (Mark.WRONG, Mark.UNANSWERED)
    off = sorted((f for f in fields if f.mark in order), key=lambda f: order.index(f.mark))
    for one in off[:worst]:
        expected, found = (json.dumps(v, ensure_ascii=False) for v in (one.expected, one.found))
        yield f"{one.mark:10} {one.id} {one.key}: {expected}, and not {found}"
    yield f"overall {summary(fields)}"


def written(fields: Iterable[Field]) -> str:
    """Every field as a JSON line."""
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in fields)


def _grouped(fields: Iterable[Field], name: str) -> list[tuple[str, list[Field]]]:
    groups: dict[str, list[Field]] = defaultdict(list)
    for field in fields:
        groups[getattr(field, name)].append(field)
    return sorted(groups.items(), key=lambda entry: -len(entry[1]))
