"""A presentation in a terminal, with rich: legible without colour, and when piped."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bot.presenting.presentation import CardRow, Entry, Presentation, Refusal, Row, Tone

STYLES = {Tone.GOOD: "bold green", Tone.CLOSE: "bold yellow", Tone.BAD: "bold red"}
BAR_CELLS = 20
LEAST_SHOWN = 0.005  # a share below it would round to 0 %
WIDTH = 96  # columns; a terminal that is narrower is used as it is


def show(presentation: Presentation, console: Console) -> None:
    """Print a whole answer."""
    console.print(render(presentation), width=min(WIDTH, console.width))


def show_refusal(refusal: Refusal, console: Console) -> None:
    """Print what was understood, what is wrong, and what to type."""
    console.print(render_refusal(refusal), width=min(WIDTH, console.width))


def render(presentation: Presentation) -> RenderableType:
    """The answer as blocks, the verdict first."""
    head = Text(presentation.verdict, style=STYLES[presentation.tone])
    details = Text("\n".join(presentation.details))
    title = Text(presentation.title, style="bold")
    parts: list[RenderableType] = [
        Panel(Group(head, details), title=title, title_align="left", padding=(0, 1)),
        _heading(presentation.lines_heading),
        _lines(presentation.lines),
        _heading(presentation.cards_heading),
        _cards(presentation.cards),
    ]
    for heading, entries in (
        (presentation.assumed_heading, presentation.assumed),
        (presentation.opinions_heading, presentation.opinions),
    ):
        if entries:
            parts += [_heading(heading), _entries(entries)]
    if presentation.warnings:
        parts += [_heading(presentation.warnings_heading), _bullets(presentation.warnings)]
    parts += [_heading(presentation.line_heading), Text(f"  {presentation.line}", style="cyan")]
    return Group(*parts)


def render_refusal(refusal: Refusal) -> RenderableType:
    """The three parts of an error."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(refusal.understood_heading, Text(refusal.understood))
    table.add_row(refusal.wrong_heading, Text(refusal.wrong, style="bold red"))
    table.add_row(refusal.type_heading, Text("\n".join(refusal.lines), style="cyan"))
    return table


def _heading(text: str) -> RenderableType:
    return Rule(Text(text, style="bold"), align="left", style="dim")


def _lines(rows: Sequence[Row]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for row in rows:
        bar = "█" * round(row.share * BAR_CELLS)
        table.add_row(f"  {row.label}", row.amount, _percent(row.share), Text(bar, style="cyan"))
    return table


def _percent(share: float) -> str:
    """A share as people read it: what is there is never 0 %."""
    return f"{share:.0%}" if share >= LEAST_SHOWN else "<1%"


def _cards(rows: Sequence[CardRow]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for row in rows:
        verdict = Text(row.verdict, style=STYLES[row.tone])
        table.add_row(f"  {row.name}", verdict, row.examples, row.detail)
    return table


def _entries(entries: Sequence[Entry]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold", style="dim")
    for entry in entries:
        table.add_row(f"  {entry.label}", entry.value, entry.why)
    return table


def _bullets(sentences: Sequence[str]) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    for sentence in sentences:
        table.add_row("  •", Text(sentence))
    return table
