"""`longest seq`, `largest batch`, `how many users`: what is to be as much as the cards allow."""

from typing import Any

from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Match
from estimator import Sought, SoughtInTraining

FIND = "find"  # the field of a request
TRAINED_WISHES = ("rank",)  # those that only training has
SERVED_WISHES = ("users", "weights", "context")  # those that speak of serving, unless it is said
AS_TRAINED = {"context": "seq"}
AS_SERVED = {"batch": "users", "seq": "context"}


def settle_wish(fields: dict[str, Any]) -> None:
    """A batch is users in serving, and a context is a sequence in training."""
    same = AS_TRAINED if fields.get("task") == "train" else AS_SERVED
    if FIND in fields and "task" in fields:
        fields[FIND] = same.get(fields[FIND], fields[FIND])


def is_foreign_wish(fields: dict[str, Any]) -> bool:
    """Whether the task has nothing of that name."""
    wishes = SoughtInTraining if fields.get("task") == "train" else Sought
    return FIND in fields and fields[FIND] not in set(wishes)


def is_setting(line: Line, at: int, match: Match) -> bool:
    """Whether `seq` takes the 1660 behind it, which `longest seq` looks for on such a card."""
    value = match.of(Kind.VALUE)
    one_word = match.length > 1 and all(line.joined(at + n) for n in range(1, match.length))
    return value is None or value.field not in ("find", "flag") or one_word
