"""Tables of what fits → one Overview: the most that fits first, then the charts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bot.locale import Locale
from bot.presenting.charts import cards_named, chart_of, way_name
from bot.presenting.names import formats_named
from bot.presenting.presentation import Entry, Overview, Tone
from estimator import By, Cell, Row, Strategy, Verdict, WhatFits

MOST_LINES = 5  # the first ask again
LONGEST = 200  # characters of a headline; one of several cards is said in brief
SAID_ABOVE = ("model", "prompt", "slots", "method", "strategy")  # or by each cell


def overview(
    tables: Sequence[WhatFits],
    *,
    fields: Mapping[str, Any],
    same: str,
    lines: Sequence[str],
    notes: Sequence[str],
    locale: Locale,
) -> Overview:
    """All tables of one question. `fields`: what it says; `same`: what of it holds for all.

    `lines`: to ask again, then for cells.
    """
    headings = locale.reply.headings
    apart = len({cards_named(table) for table in tables}) > 1
    said = _headline(tables[0], fields, locale)
    for before, table in pairwise(tables):
        alike = cards_named(before) == cards_named(table) and _tone(before) is _tone(table)
        also = alike and _tone(table) is Tone.GOOD
        said += ("" if also else ". ") + _headline(table, fields, locale, also=also)
    if len(said) > LONGEST:
        said = _in_brief(tables, fields, locale)
    tones = [_tone(table) for table in tables]
    return Overview(
        tone=min(tones, key=(Tone.GOOD, Tone.CLOSE, Tone.BAD).index),
        title=_title(tables, fields, locale),
        headline=said,
        details=tuple(_details(tables, same, locale)),
        charts=tuple(chart_of(table, locale, named=apart) for table in tables),
        assumed_heading=headings["assumed_of_all"],
        assumed=_assumed(tables, locale),
        warnings_heading=headings["warnings"],
        warnings=tuple(notes),
        lines_heading=headings["again_or_one"],
        lines=tuple(dict.fromkeys(lines))[:MOST_LINES],
    )


def best_cells(table: WhatFits) -> Iterator[tuple[Row, int, Cell]]:
    """What fits and is most worth to ask about.

    Of sizes the largest in each column that is a way of its own, the last of them first; else
    each row's first column.
    """
    if table.by is not By.SIZES:
        for row, cells in zip(table.rows, table.cells, strict=True):
            if cells[0].verdict is Verdict.FITS:
                yield row, 0, cells[0]
        return
    ways = [place for place, column in enumerate(table.columns) if column.fields] or [0]
    for place in reversed(ways):
        held = [
            (row, cells[place])
            for row, cells in zip(table.rows, table.cells, strict=True)
            if cells[place].verdict is Verdict.FITS
        ]
        if held:
            yield held[-1][0], place, held[-1][1]


def _headline(
    table: WhatFits, fields: Mapping[str, Any], locale: Locale, *, also: bool = False
) -> str:
    """The most that fits; `also`: behind what was said of the same cards."""
    several = sum(entry.count for entry in table.cards) > 1
    cards, number = cards_named(table), "several" if several else "one"
    found = list(best_cells(table))
    if not found:
        return _none(table, cards, fields, locale)
    values = {
        "cards": cards,
        "model": fields.get("model"),
        "trains": locale.say(f"trains_{number}"),
        "runs": locale.say(f"runs_{number}"),
        "first": way_name(found[0][0].name, locale),
        "most": ", ".join(
            locale.say("fits_of", size=row.name, way=_way(table, place, fields, locale, cell))
            for row, place, cell in found
        ),
        "yes": _rows_that_are(Verdict.FITS, table, locale),
        "others": f" ({others})" if (others := "; ".join(_others(table, locale))) else "",
    }
    return locale.say(f"fits_{table.task}_{table.by}{'_also' if also else ''}", **values)


def _in_brief(tables: Sequence[WhatFits], fields: Mapping[str, Any], locale: Locale) -> str:
    """`RTX 3090: 14B (QLoRA), 32B (Q4_K_M); RTX 4090: …`: of each the first."""
    found: dict[str, list[str]] = {}
    for table in tables:
        best = next(best_cells(table), None)
        said = found.setdefault(cards_named(table), [])
        if best is not None and table.by is By.SIZES:
            way = _way(table, best[1], fields, locale, best[2])
            said.append(locale.say("fits_of", size=best[0].name, way=way))
        elif best is not None:
            said.append(way_name(best[0].name, locale))
    nothing = locale.say("fits_nothing")
    sides = (f"{cards}: {', '.join(said) or nothing}" for cards, said in found.items())
    return locale.say("fits_brief", sides="; ".join(sides))


def _way(
    table: WhatFits, place: int, fields: Mapping[str, Any], locale: Locale, cell: Cell | None = None
) -> str:
    """The column; or what was named, where columns are what is sought; or the format found."""
    if cell is not None and cell.solved is not None and isinstance(cell.solved.value, str):
        return formats_named(cell.solved.value)
    named = fields.get("method") or fields.get("weights")
    name = table.columns[place].name
    return way_name(str(named) if named and not table.columns[place].fields else name, locale)


def _others(table: WhatFits, locale: Locale) -> Iterator[str]:
    for verdict in (Verdict.TIGHT, Verdict.NO):
        if ways := _rows_that_are(verdict, table, locale):
            yield locale.say(f"fits_others_{verdict}", ways=ways)


def _rows_that_are(verdict: Verdict, table: WhatFits, locale: Locale) -> str:
    """`LoRA, QLoRA`: by their first column."""
    rows = zip(table.rows, table.cells, strict=True)
    return ", ".join(way_name(r.name, locale) for r, cells in rows if cells[0].verdict is verdict)


def _none(table: WhatFits, cards: str, fields: Mapping[str, Any], locale: Locale) -> str:
    """Nothing fits; what comes closest may be tight."""
    if any(cell.verdict is Verdict.FITS for row in table.cells for cell in row):
        return locale.say(f"fits_less_{table.task}", model=fields.get("model"), cards=cards)
    tight = _tone(table) is Tone.CLOSE
    rows = list(zip(table.rows, table.cells, strict=True))
    places = range(len(table.columns))
    if table.by is By.SIZES:
        near = next(
            ((r, p) for r, cells in rows for p in places if cells[p].verdict is Verdict.TIGHT),
            (rows[0][0], places[-1]),
        )
        smallest = locale.say(
            "fits_of", size=near[0].name, way=_way(table, near[1], fields, locale)
        )
    else:
        near_row = next(
            (r for r, cells in rows if any(c.verdict is Verdict.TIGHT for c in cells)), rows[-1][0]
        )
        smallest = f"{fields.get('model')} ({way_name(near_row.name, locale)})"
    key = "tight" if tight else "none"
    return locale.say(f"fits_{key}_{table.task}", smallest=smallest, cards=cards)


def _tone(table: WhatFits) -> Tone:
    if next(best_cells(table), None) is not None:
        return Tone.GOOD
    verdicts = {cell.verdict for row in table.cells for cell in row}
    return Tone.CLOSE if {Verdict.FITS, Verdict.TIGHT} & verdicts else Tone.BAD


def _title(tables: Sequence[WhatFits], fields: Mapping[str, Any], locale: Locale) -> str:
    tasks = {str(table.task) for table in tables}
    title = locale.say(f"fits_title_{tasks.pop() if len(tasks) == 1 else 'both'}")
    if fields.get("model"):
        title = locale.say("fits_title_model", model=fields["model"])
    cards = " / ".join(dict.fromkeys(map(cards_named, tables)))
    return locale.say("fits_title_on", title=title, cards=cards)


def _details(tables: Sequence[WhatFits], same: str, locale: Locale) -> Iterator[str]:
    if same:
        yield locale.say("compared_same", words=formats_named(same))
    sharded = [
        sum(entry.count for entry in table.cards)
        for table in tables
        if any(a.field == "strategy" and a.value == Strategy.FSDP for a in table.assumed)
    ]
    if sharded:
        yield locale.say("sharded_for_all", count=sharded[0])


def _assumed(tables: Sequence[WhatFits], locale: Locale) -> tuple[Entry, ...]:
    """Defaults of all tables, without those that the charts themselves say."""
    found = {
        one.field: Entry(one.field, formats_named(one.value), locale.phrased(one.why))
        for table in tables
        for one in table.assumed
        if one.field not in SAID_ABOVE
    }
    return tuple(found.values())
