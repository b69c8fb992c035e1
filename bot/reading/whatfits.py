"""`fit 4090`, `what can I train on a 4090?`: questions that leave open what a table then says."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bot.compiled import compiled
from bot.reading.facts import Said
from bot.reading.tasks import TAKEN
from bot.reading.write import write_line
from estimator import By

FIT = "fit"  # the word that a line begins with, and the command
OPEN = "open"  # facts: what the question leaves open
CARDS = ("24GB", "rtx-4090", "a100-sxm4-80gb")  # to name instead of none
EXAMPLES = ("fit 4090", "fit train 2x 3090", "fit llama 3.1 8b on 12GB")
EITHER_TASK = ("train", "infer")
SAID_FILLERS = 2  # of any phrase such as `what can I`: words of a sentence

_BEGINS = compiled(r"\s*/?(?:vram\s+)?/?fit\b(?!\s*\?)[\s,:]*", re.IGNORECASE)


def take_fit(text: str) -> tuple[str, bool]:
    """`text` without the word that asks for a table; and whether it was there."""
    found = _BEGINS.match(text)
    return (text, False) if found is None else (text[found.end() :], True)


def leaves_open(said: Said, name: str) -> bool:
    """Whether the question asks which `name`."""
    return any(fact.value == name for fact in said.all_of(OPEN))


def asks_for_table(said: Said, fields: Mapping[str, Any], *, named: bool, fit: bool) -> bool:
    """Whether a table answers it; `named`: a model was, `fit`: the word for it was said."""
    if fit:
        return True
    if not named:
        return leaves_open(said, "model") or (
            leaves_open(said, "method") and "method" not in fields
        )
    if fields.get("task") == "infer" and not said.all_of(TAKEN):
        return False
    return any(leaves_open(said, name) and name not in fields for name in ("method", "optimizer"))


def tables_of(said: Said, fields: dict[str, Any]) -> Mapping[str, By]:
    """By task, what the rows are: of the one that `fields` say, or of both.

    That a model beside cards is to be run is a guess, which is not needed here.
    """
    if said.all_of(TAKEN):
        fields.pop("task", None)
        if any(leaves_open(said, name) for name in ("method", "optimizer")):
            fields["task"] = "train"
        said.facts[:] = [fact for fact in said.facts if fact.field != TAKEN]
    tasks = (str(fields["task"]),) if "task" in fields else EITHER_TASK
    return {task: _rows(task, said, named="model" in fields) for task in tasks}


def _rows(task: str, said: Said, *, named: bool) -> By:
    if not named:
        return By.SIZES
    if task == "infer":
        return By.FORMATS
    return By.OPTIMIZERS if leaves_open(said, "optimizer") else By.METHODS


def lines_with_cards(line: str) -> list[str]:
    """The line of a table that lacks its cards, with some of them."""
    return [f"{line} {name}" if line == FIT else f"{line}, {name}" for name in CARDS]


def as_tables(lines: Iterable[str]) -> list[str]:
    """Lines that ask for tables about the same."""
    return [line if line.startswith(f"{FIT} ") else f"{FIT} {line}" for line in lines]


def table_line(fields: Mapping[str, Any], tables: Mapping[str, By]) -> str:
    """The canonical line of a table."""
    optimizers = "which optimizer " if By.OPTIMIZERS in tables.values() else ""
    return f"{FIT} {optimizers}{write_line(fields)}".rstrip()
