"""A presentation as an SVG: the upper part of what a terminal shows, for a page or a phone.

Nothing is fetched when the picture is looked at: it names fonts that systems have, and
fixes each run of text to its width, so that any monospaced font keeps the columns.
"""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from itertools import pairwise

from rich.console import Console
from rich.text import Text

from bot.presenting.presentation import CardRow, Presentation
from bot.surface.terminal import render

COLUMNS = 60  # still legible across a phone
NEAR = 2  # cards shown on each side of where the verdict changes
GLYPH_ASPECT = 0.61  # width over height of a monospaced letter

# What rich fills in, less the web fonts of its own format.
PAGE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
  <style>
    .{unique_id}-matrix {{
      font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: {char_height}px;
      line-height: {line_height}px;
    }}
    .{unique_id}-title {{ font: bold 18px system-ui, sans-serif; }}
    {styles}
  </style>
  <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
  </defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
  </g>
</svg>
"""


def draw(presentation: Presentation, title: str) -> str:
    """The verdict, where the memory goes, and the cards around the verdict's turn."""
    console = Console(
        width=COLUMNS,
        height=COLUMNS,  # without it a dumb terminal's width is taken instead
        file=StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
        legacy_windows=False,
        highlight=False,
    )
    console.print(render(_upper(presentation), COLUMNS))
    console.print(Text(f"  {presentation.line}", style="cyan"), soft_wrap=True)
    return console.export_svg(
        title=title, code_format=PAGE, font_aspect_ratio=GLYPH_ASPECT, unique_id="answer"
    )


def _upper(presentation: Presentation) -> Presentation:
    cards = near_the_turn(presentation.cards)
    return replace(presentation, cards=cards, assumed=(), opinions=(), warnings=())


def near_the_turn(cards: Sequence[CardRow]) -> tuple[CardRow, ...]:
    """The cards next to a change of verdict, smallest first; the first few if none changes."""
    turns = [i for i, (one, next_) in enumerate(pairwise(cards)) if one.tone != next_.tone]
    if not turns:
        return tuple(cards[: 2 * NEAR])
    return tuple(cards[max(0, turns[0] + 1 - NEAR) : turns[-1] + 1 + NEAR])
