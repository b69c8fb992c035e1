"""Readings that tables answer → what comes back; it takes a while, so it can be done elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from bot.locale import Locale
from bot.presenting.overview import best_cells, overview
from bot.reading.reading import Reading
from bot.reading.write import write_line
from bot.replies import Tabled
from estimator import By, Catalog, Request, WhatFits, what_fits

MOST_KEPT = 128  # tables; about 20 KB each
OF_TABLE = ("task", "model", "gpus", "find")  # fields that a table's own words say

Key = tuple[str, str]


@dataclass(slots=True)
class Tables:
    """Makes tables over one catalogue, and keeps the last ones: they are the same each time."""

    catalog: Catalog
    locale: Locale
    kept: dict[Key, WhatFits] = field(default_factory=dict)

    def answer(self, readings: Sequence[Reading]) -> Tabled:
        """The tables of one question; of several where it names cards to choose among.

        Raises EstimatorError where there is no estimate of any cell.
        """
        found = [
            (reading, self._table(reading, task, by))
            for reading in readings
            for task, by in reading.tables.items()
        ]
        tables = [table for _, table in found]
        first = readings[0]
        lines = [reading.line for reading in readings]
        of_each = zip_longest(*map(_lines, tables))
        lines += [line for lines_of in of_each for line in lines_of if line]
        said = {n: v for n, v in first.fields.items() if n not in OF_TABLE}
        shown = overview(
            tables,
            fields=first.fields,
            same=write_line(said),
            lines=lines,
            notes=first.notes,
            locale=self.locale,
        )
        return Tabled(shown, tuple(tables), first.fields, first.notes)

    def _table(self, reading: Reading, task: str, by: By) -> WhatFits:
        key = (reading.line, task)
        if key not in self.kept:
            made = what_fits({"task": task} | dict(reading.fields), by, self.catalog)
            while len(self.kept) >= MOST_KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[key] = made
        return self.kept[key]


def _lines(table: WhatFits) -> Iterator[str]:
    """Lines that ask for the cells most worth it, the largest first."""
    for _, _, cell in best_cells(table):
        if cell.request is not None:
            yield write_line(_asked(cell.request))


def _asked(request: Request) -> Mapping[str, Any]:
    return request.model_dump(mode="json", exclude_none=True)
