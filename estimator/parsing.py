"""Decoded JSON → a request, or the first field that is wrong, in words."""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from estimator.errors import BadRequest
from estimator.request import GpuCount, MpPolicy, Request, ServeRequest, TrainRequest
from estimator.words import Task

DEEPEST = 8  # levels of nesting; a config.json has four
LONGEST_ECHO = 60  # characters of a stranger's field name that are shown back

_ADAPTER: TypeAdapter[Request] = TypeAdapter(
    Annotated[TrainRequest | ServeRequest, Field(discriminator="task")],
    config=ConfigDict(defer_build=True),
)


def parse_request(document: object) -> Request:
    """A request from decoded JSON; raises BadRequest with the first field that is wrong."""
    if not isinstance(document, dict):
        raise BadRequest("request", "a request is one JSON object", suggestions=(EXAMPLE,))
    for name, value in document.items():
        if not (is_plain(name) and is_plain(value)):
            shown = name[:LONGEST_ECHO] if is_plain(name) else "request"
            raise BadRequest(shown, "holds a number that is none, or is nested too deeply")
    if document.get("task") not in (Task.TRAIN.value, Task.INFER.value):
        raise BadRequest("task", "is `train` or `infer`", suggestions=(EXAMPLE,))
    try:
        return _ADAPTER.validate_python(document)
    except ValidationError as error:
        raise _bad_request(error, document) from None


EXAMPLE = '{"task": "train", "model": "7B", "method": "lora"}'


def is_plain(value: object, depth: int = DEEPEST) -> bool:
    """Whether `value` is JSON that can be shown back: finite, well-formed, not too deep."""
    match value:
        case float():
            return isfinite(value)
        case str():
            return value.isascii() or not any(SURROGATES[0] <= c <= SURROGATES[1] for c in value)
        case dict():
            parts = [*value, *value.values()]
        case list():
            parts = value
        case _:
            return True
    return depth > 0 and all(is_plain(part, depth - 1) for part in parts)


SURROGATES = ("\ud800", "\udfff")  # halves of characters, which no text holds alone
_FIELDS: dict[str, type[BaseModel]] = {"gpus": GpuCount, "mp_policy": MpPolicy}


def _bad_request(error: ValidationError, document: dict[str, Any]) -> BadRequest:
    first = error.errors(include_url=False, include_input=False)[0]
    kind: type[BaseModel] = TrainRequest if document["task"] == Task.TRAIN.value else ServeRequest
    path = [str(part) for part in first["loc"][1:]]
    unknown = first["type"] == "extra_forbidden"
    if unknown and len(path) > 1:
        kind = _FIELDS[path[0]]
    kinds: list[type[BaseModel]] = [TrainRequest, ServeRequest, *_FIELDS.values()]
    known = {name for each in kinds for name in each.model_fields}
    # the arms of a union are nobody's business
    shown = [part for part in path if unknown or part in known or part.isdigit()]
    field = ".".join(shown)[:LONGEST_ECHO] or "request"
    if unknown:
        names = ", ".join(sorted(kind.model_fields))
        return BadRequest(field, f"is no field; the fields are {names}")
    return BadRequest(field, _problem(first["type"], first.get("ctx", {}), first["msg"]))


def _problem(kind: str, limits: Mapping[str, Any], message: str) -> str:
    """What is wrong with a value, in words."""
    match kind:
        case "less_than_equal" | "less_than":
            most = limits.get("le", limits.get("lt"))
            at_most = kind == "less_than_equal"
            return f"must be at most {most:,}" if at_most else f"must be less than {most:,}"
        case "greater_than_equal" | "greater_than":
            least = limits.get("ge", limits.get("gt"))
            at_least = kind == "greater_than_equal"
            return f"must be at least {least:,}" if at_least else f"must be more than {least:,}"
        case "int_type" | "int_from_float" | "int_parsing":
            return "must be a whole number"
        case "float_type" | "finite_number":
            return "must be a number"
        case "bool_type":
            return "must be true or false"
        case "too_long":
            return f"may hold at most {limits.get('max_length')}"
        case "enum":
            return f"must be one of {limits.get('expected')}"
        case _:
            return message.removeprefix("Value error, ")
