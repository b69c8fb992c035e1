"""An explanation of an out-of-memory message in a terminal, with rich."""

from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bot.presenting.presentation import OomExplanation
from bot.surface.terminal import MARKS, STYLES, WIDTH

LEFT = (0, 0, 0, 2)  # columns before what stands under a heading


def show_oom(shown: OomExplanation, console: Console) -> None:
    """Print the whole of it; lines that can be typed unbroken."""
    console.print(render_oom(shown), width=min(WIDTH, console.width))
    for line in shown.lines:
        console.print(Text(f"  {line}", style="cyan"), soft_wrap=True)


def render_oom(shown: OomExplanation) -> RenderableType:
    """The verdict, then what was held, what to do, and the estimate beside it."""
    head = Text(shown.headline, style=STYLES[shown.tone])
    details = Text("\n".join(MARKS.sub("", one) for one in shown.details))
    title = Text(shown.title, style="bold")
    parts: list[RenderableType] = [
        Panel(Group(head, details), title=title, title_align="left", padding=(0, 1))
    ]
    if shown.whole is not None:
        rows = Table.grid(padding=(0, 2))
        rows.add_column(overflow="fold")
        for _ in range(2):
            rows.add_column(justify="right", no_wrap=True)
        for row in (*shown.held, shown.whole):
            rows.add_row(row.label, row.number, row.percent)
        parts += [_heading(shown.held_heading), Padding(rows, LEFT)]
        if shown.tried:
            parts.append(Padding(Text(shown.tried, style="italic"), LEFT))
    if shown.steps:
        steps = ((f"{place}.", step) for place, step in enumerate(shown.steps, 1))
        parts += [_heading(shown.steps_heading), _listed(steps)]
    if shown.run:
        parts += [_heading(shown.run_heading), _listed(("•", one) for one in shown.run)]
    return Group(*parts, *([_heading(shown.lines_heading)] if shown.lines else []))


def _heading(text: str) -> RenderableType:
    return Rule(Text(text, style="bold"), align="left", style="dim")


def _listed(sentences: Iterable[tuple[str, str]]) -> RenderableType:
    """Sentences behind their marks, without what Discord draws."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for mark, sentence in sentences:
        rows.add_row(mark, Text(MARKS.sub("", sentence)))
    return Padding(rows, LEFT)
