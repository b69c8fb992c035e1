"""A diagnosis as JSON values: whole bytes, causes, parts of the card, steps by their names."""

from typing import Any

from bot.diagnosis.diagnosis import Beside, Diagnosis, Match
from bot.reading.oom.message import OomMessage


def diagnosis_document(found: Diagnosis) -> dict[str, Any]:
    """All of a diagnosis; the first cause is the verdict."""
    return {
        "message": message_document(found.message),
        "program": found.program,
        "causes": [
            {"cause": one.cause, "kind": one.kind, "values": dict(one.values)}
            for one in found.findings
        ],
        "held": {
            "total_bytes": found.account.total_bytes,
            "tried_bytes": found.account.tried_bytes,
            "parts": [
                {"holder": part.holder, "bytes": part.bytes}
                | ({"pid": part.pid} if part.pid else {})
                for part in found.account.parts
            ],
        },
        "cards": list(found.cards),
        "steps": [{"step": step.key, "values": dict(step.values)} for step in found.steps],
        "beside": None if found.beside is None else _beside(found.beside),
        "match": None if found.match is None else _match(found.match),
    }


def message_document(message: OomMessage) -> dict[str, Any]:
    """What was read of the message."""
    return {
        "kind": message.kind,
        "figures": dict(message.figures),
        "counts": dict(message.counts),
        "words": dict(message.words),
        "shape": list(message.shape),
        "other_processes": [
            {"pid": one.pid, "used_bytes": one.used_bytes} for one in message.processes
        ],
        "incomplete": message.incomplete,
        "ignored": list(message.ignored),
    }


def _beside(beside: Beside) -> dict[str, Any]:
    return {
        "shown_bytes": beside.shown_bytes,
        "estimate_bytes": beside.estimate_bytes,
        "lower_bound": beside.bound,
        "line": beside.part or None,
        "off": beside.off,
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "line": match.line,
        "form": match.form,
        "bytes": match.bytes,
        "values": dict(match.values),
    }
