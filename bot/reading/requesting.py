"""The fields that were read → the request, in the words of an error of this reading."""

from collections.abc import Mapping
from typing import Any

from bot.reading.facts import NotUnderstoodError
from estimator import BadRequest, Request, parse_request


def request_of(fields: Mapping[str, Any]) -> Request:
    """The request; raises NotUnderstoodError for what no request can hold."""
    try:
        return parse_request(dict(fields))
    except BadRequest as error:
        name = error.field.split(".")[0]
        raise NotUnderstoodError(error.code, error.message, field=name) from None
