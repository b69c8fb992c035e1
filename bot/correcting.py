"""What an error blames, and lines with what is to be typed instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.reading.write import write_line
from estimator import (
    BadRequest,
    Contradiction,
    EstimatorError,
    Method,
    UnknownName,
    Unsupported,
)

OF_LISTS = ("gpus", "targets")  # fields whose values are more than a word
OF_METHODS = ("method", "optimizer")  # fields that a method's word may stand in
FIELDS_OF_KINDS = {
    "model": "model",
    "card": "gpus",
    "optimizer": "optimizer",
    "number format": "weights",
    "engine": "engine",
    "element type": "kv",
}


def with_fix(kept: Mapping[str, Any], wrong: Sequence[str], fix: str) -> list[str]:
    """Lines with `fix`: as a method, as the value of the one field that is wrong, as a word."""
    method = fix in set(Method)
    fields = ["method"] if method else []
    own = not method or wrong[0] in OF_METHODS
    if len(wrong) == 1 and wrong[0] not in ("gpus", "bpw") and not {" ", "="} & set(fix) and own:
        fields += wrong
    lines = [write_line(dict(kept) | {name: fix}) for name in dict.fromkeys(fields)]
    return lines or [f"{write_line(kept)} {fix}"]


def wrong_fields(error: EstimatorError) -> tuple[str, ...]:
    """The fields of a request that an error blames."""
    match error:
        case Contradiction():
            return error.fields
        case UnknownName():
            return (FIELDS_OF_KINDS.get(error.kind, error.kind),)
        case BadRequest() | Unsupported():
            return (error.field,)
        case _:
            return ()
