"""How right answers have been: `record.toml`, written by `python -m tests.accuracy.record`.

The scorers' own figures; a test holds the file to them, so nobody types one.
"""

from functools import cache
from importlib import resources

import tomli
from pydantic import BaseModel, ConfigDict, Field


class Kind(BaseModel):
    """One kind of run. Shares are of 1: `median` and `p90` how far estimates are off.

    `inside`: how many true figures lie in the answer's range. `rule`: how far off the rule of
    thumb is at the median of the same rows; none where it has nothing to say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    rows: int = Field(gt=0)
    median: float = Field(ge=0)
    p90: float = Field(ge=0)
    inside: float = Field(ge=0, le=1)
    rule: float | None = None


class Read(BaseModel):
    """One kind of text: of how many `fields` which part is read `right`, and `wrong`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    fields: int = Field(gt=0)
    right: float = Field(ge=0, le=1)
    wrong: float = Field(ge=0, le=1)


class Record(BaseModel):
    """Kinds of runs in the order they are shown, then kinds of texts."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    runs: tuple[Kind, ...]
    texts: tuple[Read, ...]


@cache
def load_record() -> Record:
    """The record from its file."""
    text = resources.files("bot").joinpath("record.toml").read_text(encoding="utf-8")
    return Record.model_validate(tomli.loads(text))
