"""A published row of training → the request that asks for it."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]


def training_request(row: Row) -> dict[str, Any]:
    """The row's settings in a request's words."""
    raise NotImplementedError(row["id"])
