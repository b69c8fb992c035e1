"""A table of what fits → a chart: names and numbers short enough for a phone."""

from collections.abc import Iterator

from bot.locale import Locale
from bot.presenting.names import card_name, formats_named
from bot.presenting.presentation import Chart
from bot.presenting.sentences import ended
from estimator import KIB, Cell, Sought, SoughtInTraining, Verdict, WhatFits

DASH = "–"
TOKENS = (SoughtInTraining.SEQ, Sought.CONTEXT)  # in thousands
MOST_PLAIN = 4 * KIB  # tokens up to which all digits are shown


def chart_of(table: WhatFits, locale: Locale, *, named: bool = False) -> Chart:
    """The chart of one table; `named`: the cards stand in its heading."""
    rows = [
        (way_name(row.name, locale), *(_said(cell, locale) for cell in cells))
        for row, cells in zip(table.rows, table.cells, strict=True)
    ]
    heading = _heading(table, locale)
    if named:
        heading = locale.say("chart_on", heading=heading, cards=cards_named(table))
    return Chart(
        heading=heading,
        columns=tuple(way_name(column.name, locale) for column in table.columns),
        rows=tuple(rows),
        note=ended("; ".join(_notes(table, rows, locale)), locale),
    )


def cards_named(table: WhatFits) -> str:
    """`2× RTX 3090 + RTX 4090`."""
    names = [(entry.count, card_name(entry.card.name)) for entry in table.cards]
    return " + ".join(f"{count}× {name}" if count > 1 else name for count, name in names)


def way_name(name: str, locale: Locale) -> str:
    """A row or a column as people say it."""
    return locale.reply.ways.get(name) or formats_named(name)


def _said(cell: Cell, locale: Locale) -> str:
    if cell.verdict is None:
        return DASH
    if cell.verdict is not Verdict.FITS or cell.solved is None:
        return locale.reply.verdicts[cell.verdict]
    value, sought = cell.solved.value, cell.solved.sought
    if isinstance(value, str):
        return formats_named(value)
    if sought in TOKENS and value >= MOST_PLAIN:
        return f"{value // KIB}k"
    return f"{value:,}"


def _heading(table: WhatFits, locale: Locale) -> str:
    """What the numbers are, where all are of one kind."""
    task = locale.say(f"chart_{table.task}")
    wishes = {column.find for column in table.columns}
    if len(wishes) > 1:
        return locale.say("chart_several", task=task)
    find = wishes.pop()
    each = locale.say("short_on_each") if table.several else ""
    request = next((c.request for row in table.cells for c in row if c.request), None)
    if find is None or request is None:
        return locale.say("chart_verdict", task=task)
    taken = {a.field: a.value for a in table.assumed}
    asked = request.model_dump(include={"seq", "batch", "users", "context"}, exclude_none=True)
    users = int(asked.get("users") or 1)
    said = locale.say("chart_one_user" if users == 1 else "chart_users_of", users=users)
    seq = str(asked.get("seq") or taken.get("seq") or "")
    key = "chart_batch_open" if find == "batch" and not seq.isdecimal() else f"chart_{find}"
    return locale.say(
        key,
        task=task,
        each=each,
        seq=int(seq) if seq.isdecimal() else 0,
        batch=asked.get("batch") or 1,
        users=said,
        context=int(asked.get("context") or 8 * KIB),
    )


def _notes(table: WhatFits, rows: list[tuple[str, ...]], locale: Locale) -> Iterator[str]:
    """What is shown and is no number; and that rows were left out."""
    shown = {text for row in rows for text in row[1:]}
    wishes = {column.find for column in table.columns}
    verdicts = locale.reply.verdicts
    if verdicts[Verdict.NO] in shown and len(wishes) == 1:
        yield locale.say("chart_no", least=locale.say(f"least_{wishes.pop() or ''}"))
    if verdicts[Verdict.TIGHT] in shown:
        yield locale.say("chart_tight")
    if any(text.endswith("k") for text in shown):
        yield locale.say("chart_k")
    if DASH in shown:
        yield locale.say("chart_dash")
    if table.larger:
        yield locale.say("chart_larger")
