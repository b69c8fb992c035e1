"""What fits at all on the cards that are there: a table of whole estimates, a search in each cell.

Rows are model sizes, or of one model its methods, optimizers or formats. A cell holds the most
that the cards allow (a batch, a sequence, a context), as a question of its own would find it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from estimator.answering import solved_by
from estimator.cards import Cards, asked_cards
from estimator.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.fit import Verdict
from estimator.in_use import refuse_more_than_all
from estimator.inverse import NoRoom, Solved
from estimator.judging import Judging, resolve
from estimator.parsing import parse_request
from estimator.request import Request
from estimator.resolve import resolve_cards
from estimator.setup import Assumption
from estimator.ways import SIZES, By, Column, Row, columns_of, rows_of
from estimator.words import Strategy, Task

Fields = Mapping[str, Any]

MOST_VALUES = 3  # of a default, in one table
SPLITS = ("strategy", "tp", "pp", "cp", "ep")  # that say how cards share the work
SHARDED = Strategy.FSDP  # of several cards: else each would hold the whole model
SHARDING = Assumption("strategy", SHARDED.value, "several cards hold it between them", "defaults")


@dataclass(frozen=True, slots=True)
class Cell:
    """How one way goes into the cards.

    `request`: with the most that fits filled in, or with the least where that does not.
    `solved`: that most; none where even the least does not fit, or nothing was left to seek.
    `refused`: why there is no estimate of it, and then there is nothing else.
    """

    request: Request | None
    verdict: Verdict | None
    solved: Solved | None = None
    assumed: tuple[Assumption, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class WhatFits:
    """The table: `cells` stand by rows, then columns, and `larger` rows would be no as well."""

    task: Task
    by: By
    cards: tuple[Cards, ...]
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    larger: bool

    @property
    def several(self) -> bool:
        """Whether more than one card is there."""
        return asked_cards(self.cards) > 1

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """Each default that was taken, once a field; where cells differ, the few values it has.

        What each cell has its own of is left to the answer to that cell.
        """
        found: dict[str, list[Assumption]] = {}
        for cell in (cell for row in self.cells for cell in row):
            for one in cell.assumed:
                known = found.setdefault(one.field, [])
                if one.value not in [other.value for other in known]:
                    known.append(one)
        return tuple(_together(ones) for ones in found.values() if len(ones) <= MOST_VALUES)

    def document(self) -> dict[str, Any]:
        """JSON values: every cell with its verdict, its most, and the request that asks for it."""
        return {
            "task": self.task,
            "by": self.by,
            "gpus": [{"id": one.card.id, "count": one.count} for one in self.cards],
            "rows": [
                {
                    "name": row.name,
                    "cells": [
                        _cell_document(column, cell)
                        for column, cell in zip(self.columns, cells, strict=True)
                    ],
                }
                for row, cells in zip(self.rows, self.cells, strict=True)
            ],
            "assumed": [
                {"field": a.field, "value": a.value, "why": a.why, "source": a.source}
                for a in self.assumed
            ],
            "error": None,
        }


def what_fits(fields: Fields, by: By, catalog: Catalog) -> WhatFits:
    """The table for `fields` of a request that has `task`, `gpus`, and of one model its `model`.

    What `fields` say holds for every cell. Raises EstimatorError where there is no cell of
    which there is an estimate.
    """
    task = Task(fields["task"])
    rows, columns = rows_of(fields, by, catalog), columns_of(fields, by, catalog)
    common = {name: value for name, value in fields.items() if name != "find"}
    cards = resolve_cards(parse_request({"model": SIZES[0]} | common).gpus, catalog)
    added: tuple[Assumption, ...] = ()
    split = any(name in common for name in SPLITS)
    if task is Task.TRAIN and not split and _several(common, cards):
        common["strategy"] = SHARDED.value
        added = (SHARDING,)
    found: list[tuple[Cell, ...]] = []
    failed: EstimatorError | None = None
    for row in rows:
        cells = []
        for column in columns:
            try:
                cells.append(_cell(common, row, column, added, catalog))
            except EstimatorError as error:
                failed = failed or error
                cells.append(Cell(None, None, refused=error.message))
        found.append(tuple(cells))
        if by is By.SIZES and all(cell.verdict is Verdict.NO for cell in cells):
            break
    if failed is not None and all(cell.verdict is None for cells in found for cell in cells):
        raise failed
    return WhatFits(
        task=task,
        by=by,
        cards=cards,
        rows=tuple(rows[: len(found)]),
        columns=columns,
        cells=tuple(found),
        larger=len(found) < len(rows),
    )


def _cell(
    common: Fields, row: Row, column: Column, added: tuple[Assumption, ...], catalog: Catalog
) -> Cell:
    """One question, asked in full."""
    fields = dict(common) | dict(row.fields) | dict(column.fields)
    solved, verdict = None, Verdict.FITS
    request = parse_request(fields | {"find": column.find})
    try:
        request, solved = solved_by(request, catalog)
    except NoRoom as none:
        request, verdict = none.least, none.verdict
    if column.find is None:
        verdict = Judging(catalog)(request).verdict
    setup = resolve(request, catalog)
    refuse_more_than_all(setup, catalog)
    return Cell(request, verdict, solved, (*added, *setup.assumed))


def _several(fields: Fields, cards: tuple[Cards, ...]) -> bool:
    """Whether several cards share the work."""
    return max(asked_cards(cards), fields.get("world") or 1) > 1


def _together(found: list[Assumption]) -> Assumption:
    """One entry of all that was taken for a field, with the reason of each."""
    why = "; ".join(dict.fromkeys(one.why for one in found))
    return replace(found[0], value=" / ".join(one.value for one in found), why=why)


def _cell_document(column: Column, cell: Cell) -> dict[str, Any]:
    return {
        "name": column.name,
        "find": column.find,
        "verdict": cell.verdict,
        "value": cell.solved.value if cell.solved else None,
        "bound": cell.solved.bound if cell.solved else None,
        "request": cell.request.model_dump(mode="json", exclude_none=True)
        if cell.request
        else None,
        "refused": cell.refused or None,
    }
