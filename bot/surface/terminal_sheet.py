"""A sheet in a terminal, with rich."""

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from bot.compiled import compiled
from bot.presenting.sheet import Section, Sheet
from bot.surface.terminal import MARKS, STYLES, WIDTH

LINK = compiled(r"\[([^\]]+)\]\(<([^>]+)>\)")
LEFT = (0, 0, 0, 2)  # columns before what stands under a heading


def show_sheet(shown: Sheet, console: Console) -> None:
    """Print it; code and the line to type unbroken, so that they can be copied."""
    width = min(WIDTH, console.width)
    head = Text(shown.headline, style=STYLES[shown.tone])
    details = [Text(_plain(one)) for one in shown.details]
    title = Text(shown.title, style="bold") if shown.title else None
    panel = Panel(Group(head, *details), title=title, title_align="left", padding=(0, 1))
    console.print(panel, width=width)
    for section in shown.sections:
        console.print(_section(section), width=width)
        for line in (*section.rows, *section.code.splitlines()):
            console.print(Text(f"  {line}", style="cyan"), soft_wrap=True)
    if shown.line:
        console.print(_heading(shown.line_heading), width=width)
        console.print(Text(f"  {shown.line}", style="cyan"), soft_wrap=True)


def _section(section: Section) -> RenderableType:
    text = Padding(Text(_plain(section.text)), LEFT)
    return Group(_heading(section.heading), *((text,) if section.text else ()))


def _plain(text: str) -> str:
    """Without what Discord draws; a link as its address."""
    return MARKS.sub("", LINK.sub(r"\2", text))


def _heading(text: str) -> RenderableType:
    return Rule(Text(text, style="bold"), align="left", style="dim")
