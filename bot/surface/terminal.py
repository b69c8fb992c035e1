"""A presentation in a terminal, with rich: legible without colour, and when piped."""

from collections.abc import Sequence

from rich.console import Console, Group, OverflowMethod, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bot.compiled import compiled
from bot.locale import HelpWords
from bot.presenting.explanation import Contents, Explanation, Titled
from bot.presenting.presentation import (
    CardRow,
    Chart,
    Comparison,
    Entry,
    Overview,
    Presentation,
    Refusal,
    Row,
    Tone,
)

# on the help page
COMMANDS = ("train", "infer", "fit", "compare", "oom", "explain", "learn", "measured", "team")
EXPLAIN = "explain"
MARKS = compiled(r"\*\*|`")  # of bold words and of lines, which Discord draws
STYLES = {Tone.GOOD: "bold green", Tone.CLOSE: "bold yellow", Tone.BAD: "bold red"}
BAR_CELLS = 20
BAR_FROM = 64  # columns; below it a bar would take the room that words need
WIDTH = 96  # columns; a terminal that is narrower is used as it is


def show(presentation: Presentation, console: Console) -> None:
    """Print a whole answer; the line to type again unbroken, so that it can be copied."""
    width = min(WIDTH, console.width)
    console.print(render(presentation, width), width=width)
    console.print(Text(f"  {presentation.line}", style="cyan"), soft_wrap=True)


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print several answers side by side; the lines that ask for one of them unbroken."""
    console.print(render_comparison(comparison), width=min(WIDTH, console.width))
    for line in comparison.lines:
        console.print(Text(f"  {line}", style="cyan"), soft_wrap=True)


def show_overview(overview: Overview, console: Console) -> None:
    """Print what fits; the lines to type again unbroken."""
    console.print(render_overview(overview), width=min(WIDTH, console.width))
    for line in overview.lines:
        console.print(Text(f"  {line}", style="cyan"), soft_wrap=True)


def show_explanation(explanation: Explanation, console: Console) -> None:
    """Print why something is so; the lines to type unbroken, each with what it shows."""
    width = min(WIDTH, console.width)
    console.print(render_explanation(explanation), width=width)
    for one in explanation.examples:
        console.print(Text(f"  {one.line}", style="cyan"), soft_wrap=True)
        console.print(Padding(Text(one.says), (0, 0, 0, 4)), width=width)
    cited = [f"{one.title} {one.link}".rstrip() for one in explanation.sources]
    parts = [_heading(explanation.sources_heading), _bullets(cited)]
    if explanation.related:
        parts += [_heading(explanation.related_heading), _topics(explanation.related)]
    console.print(Group(*parts), width=width)


def show_contents(contents: Contents, console: Console) -> None:
    """Print what can be explained, each with the word that asks for it."""
    parts: list[RenderableType] = [Text(contents.title, style="bold")]
    for chapter in contents.chapters:
        parts += [_heading(chapter.title), _topics(chapter.topics)]
    console.print(Group(*parts), width=min(WIDTH, console.width))


def show_refusal(refusal: Refusal, console: Console) -> None:
    """Print what was understood, what is wrong, and what to type."""
    console.print(render_refusal(refusal), width=min(WIDTH, console.width))


def show_help(page: HelpWords, right: str, console: Console) -> None:
    """Print the help page; a command stands by its word, which is what is typed here.

    `right`: lines of how right answers have been.
    """
    parts: list[RenderableType] = [Text(page.title, style="bold"), Text(page.opening)]
    for section in page.sections.values():
        said = section.text.strip().format(**{word: word for word in COMMANDS})
        parts += [_heading(section.heading), Padding(Text(MARKS.sub("", said)), (0, 0, 0, 2))]
    parts += [_heading(page.right), Padding(Text(right), (0, 0, 0, 2))]
    console.print(Group(*parts), width=min(WIDTH, console.width))


def render(presentation: Presentation, width: int) -> RenderableType:
    """The answer as blocks, the verdict first; all but the line to type again."""
    head = Text(presentation.verdict, style=STYLES[presentation.tone])
    details = Text("\n".join(presentation.details))
    title = Text(presentation.title, style="bold")
    parts: list[RenderableType] = [
        Panel(Group(head, details), title=title, title_align="left", padding=(0, 1)),
        _heading(presentation.lines_heading),
        _lines(presentation.lines, wide=width >= BAR_FROM),
    ]
    if presentation.team:
        parts += [_heading(presentation.team_heading), _bullets(_plain(presentation.team))]
    if presentation.cards:
        parts += [_heading(presentation.cards_heading), _cards(presentation.cards)]
    if presentation.cards_note:
        parts.append(Padding(Text(presentation.cards_note, style="italic"), (0, 0, 0, 2)))
    if presentation.advice:
        parts += [_heading(presentation.advice_heading), _bullets(_plain(presentation.advice))]
        if presentation.advice_line:
            parts.append(Padding(Text(presentation.advice_line, style="cyan"), (0, 0, 0, 4)))
    if presentation.plan:
        parts += [_heading(presentation.plan_heading), _entries(presentation.plan)]
    for heading, entries in (
        (presentation.assumed_heading, presentation.assumed),
        (presentation.opinions_heading, presentation.opinions),
    ):
        if entries:
            parts += [_heading(heading), _entries(entries)]
    if presentation.warnings:
        parts += [_heading(presentation.warnings_heading), _bullets(presentation.warnings)]
    return Group(*parts, _heading(presentation.line_heading))


def render_comparison(comparison: Comparison) -> RenderableType:
    """Which takes least, then a row each."""
    head = Text(comparison.headline, style="bold")
    title = Text(comparison.title, style="bold")
    group = Group(head, *map(Text, comparison.details))
    table = _table()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for row in comparison.rows:
        table.add_row(row.name, row.number or "?", Text(row.holds, style=STYLES[row.tone]))
    parts: list[RenderableType] = [
        Panel(group, title=title, title_align="left", padding=(0, 1)),
        _heading(comparison.rows_heading),
        _indented(table),
    ]
    if comparison.assumed:
        parts += [_heading(comparison.assumed_heading), _entries(comparison.assumed)]
    if comparison.warnings:
        parts += [_heading(comparison.warnings_heading), _bullets(comparison.warnings)]
    return Group(*parts, _heading(comparison.lines_heading))


def render_overview(overview: Overview) -> RenderableType:
    """The most that fits, then a chart each."""
    head = Text(overview.headline, style=STYLES[overview.tone])
    title = Text(overview.title, style="bold")
    parts: list[RenderableType] = [
        Panel(
            Group(head, *map(Text, overview.details)),
            title=title,
            title_align="left",
            padding=(0, 1),
        )
    ]
    for chart in overview.charts:
        parts += [_heading(chart.heading), _indented(_chart(chart))]
        if chart.note:
            parts.append(Padding(Text(chart.note, style="italic"), (0, 0, 0, 2)))
    if overview.assumed:
        parts += [_heading(overview.assumed_heading), _entries(overview.assumed)]
    if overview.warnings:
        parts += [_heading(overview.warnings_heading), _bullets(overview.warnings)]
    return Group(*parts, _heading(overview.lines_heading))


def render_explanation(explanation: Explanation) -> RenderableType:
    """The short answer and the formula."""
    head = Text(MARKS.sub("", explanation.brief), style="bold")
    more = Text(MARKS.sub("", explanation.more))
    title = Text(explanation.title, style="bold")
    return Group(
        Panel(Group(head, more), title=title, title_align="left", padding=(0, 1)),
        _heading(explanation.formula_heading),
        Padding(Text(explanation.formula), (0, 0, 0, 2)),
        _heading(explanation.examples_heading),
    )


def render_refusal(refusal: Refusal) -> RenderableType:
    """The three parts of an error."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(refusal.understood_heading, Text(refusal.understood))
    table.add_row(refusal.wrong_heading, Text(refusal.wrong, style="bold red"))
    table.add_row(refusal.type_heading, Text("\n".join(refusal.lines), style="cyan"))
    return table


def _chart(chart: Chart) -> Table:
    table = _table(no_wrap=True)
    for _ in chart.columns:
        table.add_column(justify="right", no_wrap=True)
    table.add_row("", *(Text(name, style="bold") for name in chart.columns))
    for row in chart.rows:
        table.add_row(*row)
    return table


def _topics(topics: Sequence[Titled]) -> Table:
    """Titles, each with the line that asks for it."""
    table = Table.grid(padding=(0, 2))
    for one in topics:
        table.add_row(Text(f"  {EXPLAIN} {one.id}", style="cyan"), Text(one.title))
    return table


def _heading(text: str) -> RenderableType:
    return Rule(Text(text, style="bold"), align="left", style="dim")


def _lines(rows: Sequence[Row], *, wide: bool) -> RenderableType:
    """Amount, share and basis of each line; bars only where words keep their room."""
    table = _table(overflow="fold")
    for _ in range(2):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    for row in rows:
        cells = [row.label, row.amount, row.percent, row.basis]
        bar = Text("█" * round(row.share * BAR_CELLS), style="cyan")
        table.add_row(*cells, *([bar] if wide else []))
    return _indented(table)


def _table(*, overflow: OverflowMethod = "fold", no_wrap: bool = False) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow=overflow, no_wrap=no_wrap)
    return table


def _indented(table: Table) -> RenderableType:
    return Padding(table, (0, 0, 0, 2))


def _cards(rows: Sequence[CardRow]) -> RenderableType:
    table = _table()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        verdict = Text(row.verdict, style=STYLES[row.tone])
        words = [part for part in (row.examples, row.detail) if part]
        table.add_row(row.name, verdict, "\n".join(words))
    return _indented(table)


def _entries(entries: Sequence[Entry]) -> RenderableType:
    table = _table()
    table.add_column(overflow="fold")
    table.add_column(overflow="fold", style="dim")
    for entry in entries:
        table.add_row(entry.label, entry.value, entry.why)
    return _indented(table)


def _plain(sentences: Sequence[str]) -> list[str]:
    """Without the marks that Discord draws."""
    return [MARKS.sub("", sentence) for sentence in sentences]


def _bullets(sentences: Sequence[str]) -> RenderableType:
    table = _table()
    table.add_column(overflow="fold")
    for sentence in sentences:
        table.add_row("•", Text(sentence))
    return _indented(table)
