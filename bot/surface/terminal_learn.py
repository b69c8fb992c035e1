"""The whole walk in a terminal, with rich: step after step, without its buttons."""

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from bot.learning.lesson import Lesson
from bot.surface.terminal import MARKS, WIDTH

LEFT = (0, 0, 0, 2)  # columns before what stands under a heading


def show_walk(lessons: Sequence[Lesson], console: Console) -> None:
    """Print all steps; each ends in the line that asks for the same, unbroken."""
    width = min(WIDTH, console.width)
    for one in lessons:
        console.print(Group(*_parts(one)), width=width)
        console.print(Text(f"  {one.line}", style="cyan"), soft_wrap=True)
        console.print()


def _parts(shown: Lesson) -> Iterator[RenderableType]:
    said = [Text(shown.moved, style="bold")] if shown.moved else []
    title = Text(f"{shown.foot}: {shown.title}", style="bold")
    body = Group(*said, Text(shown.text))
    yield Panel(body, title=title, title_align="left", padding=(0, 1))
    yield Padding(Text(shown.sum), LEFT)
    yield Padding(Text("\n".join(shown.bars), no_wrap=True), LEFT)
    if shown.source:
        yield Padding(Text(f"{shown.source.title} {shown.source.link}"), LEFT)
    for one in shown.further:
        yield Padding(Text(MARKS.sub("", one)), LEFT)
