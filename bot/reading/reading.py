"""What a line was read as: the type alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.reading.host import HostSaid
from estimator import By, Request


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line asks. `line` is its canonical form; `notes` say what was left aside.

    `strange`: a Hub id that no table has, whose name alone told the model. `host`: its RAM.
    `tables`: by task, the rows of the tables that answer it; then `fields` may lack a task and
    a model, and `request` stands for one cell. `amounts`: of memory, where no card is named.
    """

    request: Request
    fields: Mapping[str, Any]
    line: str
    notes: tuple[str, ...]
    strange: str = ""
    host: HostSaid | None = None
    tables: Mapping[str, By] = field(default_factory=dict)
    amounts: tuple[str, ...] = ()
