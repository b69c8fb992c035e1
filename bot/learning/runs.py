"""Published runs that the walk ends at: their settings, and what was measured."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

Fields = Mapping[str, str | int]


class Run(BaseModel):
    """One run: `bytes` of the peak as they were printed, where, and of which kind it is.

    `fields`: of a request for it, without those that all runs share. `row`: its row among those
    that the estimate is scored with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    row: str
    bytes: int = Field(gt=0)
    source: str
    record: str
    fields: Fields


class Runs(BaseModel):
    """The runs in the order of the walk; `all`: the settings that they share."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    run: tuple[Run, ...]
    all: Fields

    def named(self, name: str) -> Run:
        """One of them."""
        return next(one for one in self.run if one.id == name)

    def fields_of(self, name: str) -> dict[str, str | int]:
        """The whole request of one of them."""
        return {**self.all, **self.named(name).fields}


@cache
def load_runs() -> Runs:
    """All of them, from their file."""
    text = resources.files("bot.learning").joinpath("runs.toml").read_text(encoding="utf-8")
    return Runs.model_validate(tomllib.loads(text))
