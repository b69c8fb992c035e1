"""The published numbers of each model's config.json, as far as memory depends on them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("configs.toml")


class UnknownModelError(LookupError):
    """A row names a model that the table does not have."""


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """Model id → the numbers of its config.json."""
    with TABLE.open("rb") as file:
        return tomllib.load(file)


def config_numbers(model: str, layers: int = 0) -> dict[str, Any]:
    """The numbers of `model`, cut to its first `layers` blocks if that is not 0."""
    try:
        numbers = dict(table()[model])
    except KeyError:
        raise UnknownModelError(f"{model!r} is not in {TABLE.name}; see COUNTING.md") from None
    if layers:
        key = next(name for name in ("num_hidden_layers", "n_layer") if name in numbers)
        if not 0 < layers <= numbers[key]:
            raise ValueError(f"{model} has {numbers[key]} layers, not {layers}")
        numbers[key] = layers
    return numbers
