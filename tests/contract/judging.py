"""Each recorded request against the document, and against the rules that it lacks."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.contract.document import Document, Schema, Unmatched
from tests.wire.limits import check_callback, check_commands, check_message, check_posted
from tests.wire.shapes import Violation

ANSWERED = {
    1: 1,
    6: 3,
    7: 3,
    8: 4,
}  # the type of interaction that a kind of callback is for; else 2


class Outcome(StrEnum):
    """What became of one request."""

    VALID = "valid"
    FAILED = "failed"
    UNMATCHED = "unmatched"
    WITHOUT_BODY = "without a body"
    ON_PURPOSE = "wrong on purpose"


BAD = (Outcome.FAILED, Outcome.UNMATCHED)


@dataclass(frozen=True)
class Verdict:
    """One request: what it was taken for, what became of it, and what is wrong with it."""

    call: str
    kind: str
    outcome: Outcome
    complaints: tuple[str, ...] = ()
    test: str = ""


@dataclass(frozen=True)
class Records:
    """Everything that was kept: requests, and how many frames clients sent over the gateway."""

    requests: tuple[Mapping[str, Any], ...]
    frames: tuple[Mapping[str, int], ...]


def read_records(folder: Path) -> Records:
    """All files of a folder of records."""
    lines = [
        json.loads(line)
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return Records(
        tuple(line for line in lines if "frames" not in line),
        tuple(line["frames"] for line in lines if "frames" in line),
    )


def judge(document: Document, request: Mapping[str, Any]) -> Verdict:
    """The verdict on one request; what the document cannot be asked about is unmatched."""
    verdict = _judged(document, request)
    if request.get("on_purpose") and verdict.outcome in BAD:
        return replace(verdict, outcome=Outcome.ON_PURPOSE)
    return verdict


def _judged(document: Document, request: Mapping[str, Any]) -> Verdict:
    method, route, body = request["method"], request["route"] or request["path"], request["body"]
    call, test = f"{method} {route}", request.get("test", "")
    try:
        path, operation = document.call(method, route)
        due = body is not None or "requestBody" in operation
        schema = document.body(method, route, body) if due else None
        unknown = sorted(set(request["query"]) - document.query(method, route))
    except Unmatched as why:
        return Verdict(call, call, Outcome.UNMATCHED, (str(why),), test)
    complaints = [f"query {name}: the document knows no such key" for name in unknown]
    if schema is None:
        outcome = Outcome.FAILED if complaints else Outcome.WITHOUT_BODY
        return Verdict(call, call, outcome, tuple(complaints), test)
    complaints += _complaints(document, schema, method, path, body)
    outcome = Outcome.FAILED if complaints else Outcome.VALID
    return Verdict(call, schema.name, outcome, tuple(complaints), test)


def _complaints(
    document: Document,
    schema: Schema,
    method: str,
    path: str,
    body: Any,  # noqa: ANN401 - as sent
) -> Iterator[str]:
    """What the document says, or else what it does not know to say."""
    misses = [str(miss) for miss in document.validate(schema, body)]
    yield from misses or map(str, _beyond(method, path, body))


def _beyond(method: str, path: str, body: Any) -> list[Violation]:  # noqa: ANN401 - as sent
    """The rules that the document lacks, for the calls that they are about."""
    match method, path.rpartition("/")[2]:
        case "PUT", "commands":
            return check_commands(body)
        case "POST", "callback":
            kind = body["type"]
            asked = ANSWERED.get(kind, 2)
            return check_callback(kind, body.get("data"), interaction_type=asked)
        case "POST", "messages":
            return check_posted(body)
    if path.startswith("/webhooks/"):
        return check_message(body, partial=method == "PATCH")
    return []
