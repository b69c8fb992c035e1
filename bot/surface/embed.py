"""A presentation as an embed, read on a phone: the verdict is its first line.

Columns stand in a code block of at most `COLUMNS`, the rest is sentences that may wrap.
Nothing is said by colour alone. All of it is cut to Discord's limits here: what matters
least gives way first, and the line that can be typed again never does.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import assert_never

import discord

from bot.presenting.explanation import Cited, Contents, Explanation
from bot.presenting.presentation import (
    CardRow,
    Chart,
    Comparison,
    Entry,
    OomExplanation,
    Overview,
    Presentation,
    Row,
    Tone,
    near_the_turn,
)
from bot.presenting.widths import columns_of, padded, wrapped
from bot.surface.contents import contents_embed
from bot.surface.limits import (
    FENCE,
    MOST_DESCRIPTION,
    MOST_EMBED,
    MOST_FIELD,
    MOST_TITLE,
    cut,
    fit,
    pages,
)

COLUMNS = 30  # of a code block; a narrow phone shows them unbroken
SHARE = 4  # columns of `100%`, `<1%`
BELOW = "  "  # before a label that stands below its numbers
MOST_KINDS = 400  # characters of what is said of the kinds of numbers
MOST_LINE = 400  # of a line that advice offers; a longer one is left out, never cut
MOST_DETAILS = 1200  # characters of the description that details may take
MOST_CITED = 160  # characters of a source's title
COMMAND = "/vram"

# Discord's own colours; the words say the same.
COLOURS: Mapping[Tone, discord.Colour] = MappingProxyType(
    {
        Tone.GOOD: discord.Colour.green(),
        Tone.CLOSE: discord.Colour.gold(),
        Tone.BAD: discord.Colour.red(),
    }
)

Field = tuple[str, str]  # its heading and its text


def embed_of(
    shown: Presentation | Comparison | Overview | Explanation | Contents | OomExplanation,
) -> discord.Embed:
    """One answer, several side by side, what fits, why, all topics, or why memory ran out."""
    match shown:
        case Comparison():
            return comparison_embed(shown)
        case Overview():
            return overview_embed(shown)
        case Explanation():
            return explanation_embed(shown)
        case Contents():
            return contents_embed(shown)
        case OomExplanation():
            return oom_embed(shown)
        case Presentation():
            return answer_embed(shown)
        case _:
            assert_never(shown)


def overview_embed(shown: Overview) -> discord.Embed:
    """What fits: a code block a chart, and lines to go on with."""
    return _embed(shown, _charted(shown))


def explanation_embed(shown: Explanation) -> discord.Embed:
    """Why: the short answer, the formula, lines to type and what they show, and sources."""
    embed = discord.Embed(
        title=cut(shown.title, MOST_TITLE),
        description=fit([f"**{shown.brief}**", shown.more], MOST_DESCRIPTION),
        colour=discord.Colour.blurple(),
    )
    for heading, text in _fitting(embed, _explained(shown)):
        embed.add_field(name=heading, value=text, inline=False)
    return embed


def comparison_embed(shown: Comparison) -> discord.Embed:
    """Several answers: which takes least, a row each, and a line for each."""
    return _embed(shown, _compared(shown))


def oom_embed(shown: OomExplanation) -> discord.Embed:
    """Why memory ran out: the verdict, what the card held, and what to do."""
    return _embed(shown, _diagnosed(shown))


def answer_embed(shown: Presentation) -> discord.Embed:
    """The whole answer as one embed within every limit of Discord's."""
    return _embed(shown, _fields(shown))


def _embed(
    shown: Presentation | Comparison | Overview | OomExplanation,
    fields: Iterator[tuple[Field, int]],
) -> discord.Embed:
    """The verdict first, then what was asked, then as many fields as go in."""
    details = [f"**{discord.utils.escape_markdown(shown.title)}**", *shown.details]
    embed = discord.Embed(
        title=cut(shown.headline, MOST_TITLE),
        description=fit(details, min(MOST_DETAILS, MOST_DESCRIPTION)),
        colour=COLOURS[shown.tone],
    )
    for heading, text in _fitting(embed, fields):
        embed.add_field(name=heading, value=text, inline=False)
    return embed


def _fields(shown: Presentation) -> Iterator[tuple[Field, int]]:
    """Each field in the order it is shown, and how much it matters: 0 is most."""
    if shown.team:
        yield (shown.team_heading, fit(shown.team, MOST_FIELD)), 1
    if shown.cards:
        yield (shown.cards_heading, _cards(near_the_turn(shown.cards), shown.cards_note)), 1
    if shown.advice:
        yield (shown.advice_heading, _advice(shown)), 1
    if shown.plan:
        yield (shown.plan_heading, fit(map(_planned, shown.plan), MOST_FIELD)), 2
    if shown.warnings:
        yield (shown.warnings_heading, fit((f"- {w}" for w in shown.warnings), MOST_FIELD)), 4
    yield (shown.lines_heading, _breakdown(shown)), 2
    for page in pages(_assumed(shown.assumed), MOST_FIELD):
        yield (shown.assumed_heading, page), 3
    if shown.opinions:
        yield (shown.opinions_heading, fit(map(_opinion, shown.opinions), MOST_FIELD)), 5
    yield (shown.line_heading, cut(f"`{COMMAND} {shown.line}`", MOST_FIELD)), 0


def _explained(shown: Explanation) -> Iterator[tuple[Field, int]]:
    """The parts of an explanation, and how much each matters, as above."""
    yield (shown.formula_heading, cut(f"`{shown.formula}`", MOST_FIELD)), 1
    examples = [f"`{COMMAND} {one.line}`\n{one.says}" for one in shown.examples]
    yield (shown.examples_heading, fit(examples, MOST_FIELD)), 0
    yield (shown.sources_heading, fit(map(_cited, shown.sources), MOST_FIELD)), 2


def _cited(source: Cited) -> str:
    title = discord.utils.escape_markdown(cut(source.title, MOST_CITED))
    return f"- {title}, [{source.id}](<{source.link}>)" if source.link else f"- {title}"


def _compared(shown: Comparison) -> Iterator[tuple[Field, int]]:
    """The rows, what is assumed, and the lines; how much each matters, as above."""
    width = max(len(row.number) for row in shown.rows)
    rows = [
        f"`{row.number or '?':>{width}}` **{discord.utils.escape_markdown(row.name)}**: {row.holds}"
        for row in shown.rows
    ]
    yield (shown.rows_heading, fit(rows, MOST_FIELD)), 0
    if shown.warnings:
        yield (shown.warnings_heading, fit((f"- {w}" for w in shown.warnings), MOST_FIELD)), 3
    if shown.assumed:
        yield (shown.assumed_heading, fit([" ".join(map(_pair, shown.assumed))], MOST_FIELD)), 2
    lines = [cut(f"`{COMMAND} {line}`", MOST_FIELD) for line in shown.lines]
    yield (shown.lines_heading, fit(lines, MOST_FIELD)), 1


def _charted(shown: Overview) -> Iterator[tuple[Field, int]]:
    """The charts, what is assumed, and the lines; how much each matters, as above."""
    for chart in shown.charts:
        yield (chart.heading, _chart(chart)), 0
    if shown.warnings:
        yield (shown.warnings_heading, fit((f"- {w}" for w in shown.warnings), MOST_FIELD)), 3
    if shown.assumed:
        yield (shown.assumed_heading, fit(map(_pair, shown.assumed), MOST_FIELD, " ")), 2
    lines = [cut(f"`{COMMAND} {line}`", MOST_FIELD) for line in shown.lines]
    yield (shown.lines_heading, fit(lines, MOST_FIELD)), 1


def _diagnosed(shown: OomExplanation) -> Iterator[tuple[Field, int]]:
    """What was held, what to do, the estimate beside it; how much each matters, as above."""
    if shown.whole is not None:
        yield (shown.held_heading, _block(shown.whole, shown.held, shown.tried)), 2
    if shown.steps:
        steps = (f"{place}. {step}" for place, step in enumerate(shown.steps, 1))
        yield (shown.steps_heading, fit(steps, MOST_FIELD)), 0
    if shown.run:
        yield (shown.run_heading, fit((f"- {one}" for one in shown.run), MOST_FIELD)), 1
    if shown.lines:
        lines = [f"`{COMMAND} {line}`" for line in shown.lines if len(line) <= MOST_LINE]
        yield (shown.lines_heading, fit(lines, MOST_FIELD)), 1


def _chart(chart: Chart) -> str:
    """Columns as wide as they need to be, numbers to the right; the note below."""
    rows = [("", *chart.columns), *chart.rows]
    widths = [max(columns_of(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            padded(text, width, right=place > 0)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    note = f"\n*{chart.note}*" if chart.note else ""
    room = MOST_FIELD - 2 * len(FENCE) - 2 - len(note)
    return f"{FENCE}\n{fit(lines, room)}\n{FENCE}{note}"


def _fitting(embed: discord.Embed, fields: Iterator[tuple[Field, int]]) -> Iterator[Field]:
    """The fields that go into the embed's 6,000 characters, the least important left out."""
    asked = list(fields)
    left = MOST_EMBED - len(embed)
    kept = set()
    for place, ((heading, text), _) in sorted(enumerate(asked), key=lambda entry: entry[1][1]):
        if len(heading) + len(text) <= left:
            left -= len(heading) + len(text)
            kept.add(place)
    return (field for place, (field, _) in enumerate(asked) if place in kept)


def _breakdown(shown: Presentation) -> str:
    """GiB, share and name of each line in columns under their sum, and what is no count."""
    return _block(shown.whole, shown.lines, shown.kinds)


def _block(whole: Row, rows: Sequence[Row], note: str) -> str:
    """Columns under their sum, and a note below them."""
    width = max(len(row.number) for row in (whole, *rows))
    block = _beside(f"{whole.number:>{width}}", whole.label)
    for row in rows:
        block += _beside(f"{row.number:>{width}} {row.percent:>{SHARE}}", row.label)
    below = cut(note, MOST_KINDS)
    room = MOST_FIELD - 2 * len(FENCE) - 3 - len(below)
    return f"{FENCE}\n{fit(block, room)}\n{FENCE}\n{below}".rstrip()


def _beside(numbers: str, label: str) -> list[str]:
    """`label` in the column behind `numbers`; below them where one of its words is too wide."""
    if len(numbers) + 1 + columns_of(label) <= COLUMNS:
        return [f"{numbers} {label}"]
    room = COLUMNS - len(numbers) - 1
    if max(map(columns_of, label.split()), default=0) > room:
        below = wrapped(label, COLUMNS, first=BELOW, indent=BELOW)
        return [*textwrap.wrap(numbers, COLUMNS, drop_whitespace=False), *below]
    indent = " " * (len(numbers) + 1)
    return wrapped(label, COLUMNS, first=f"{numbers} ", indent=indent)


def _cards(rows: Sequence[CardRow], note: str) -> str:
    return fit([*map(_card, rows), *([f"*{note}*"] if note else [])], MOST_FIELD)


def _advice(shown: Presentation) -> str:
    """Each way, and the line that asks for the first, where that goes in whole."""
    line = f"`{COMMAND} {shown.advice_line}`" if shown.advice_line else ""
    room = MOST_FIELD - len(line) - 1 if len(line) <= MOST_LINE else MOST_FIELD
    ways = fit((f"- {one}" for one in shown.advice), room)
    return f"{ways}\n{line}" if line and len(line) <= MOST_LINE else ways


def _card(row: CardRow) -> str:
    """`**24 GB: yes** RTX 3090, RTX 4090, L4`; of what does not hold it, how much is missing."""
    named = row.examples and row.tone is not Tone.BAD and not row.mixed
    return f"**{row.name}: {row.verdict}** {row.examples if named else row.detail}".rstrip()


def _assumed(entries: Sequence[Entry]) -> Iterator[str]:
    """Those that weigh most with their reasons, or the first; the rest in a row."""
    reasoned = [entry for entry in entries if entry.weighty] or entries[:1]
    for entry in reasoned:
        yield f"{_pair(entry)} {entry.why}"
    rest = [entry for entry in entries if entry not in reasoned]
    if rest:
        yield " ".join(map(_pair, rest))


def _pair(entry: Entry) -> str:
    return f"`{entry.label} {entry.value}`"


def _planned(entry: Entry) -> str:
    return f"**{entry.label}:** {entry.value}"


def _opinion(entry: Entry) -> str:
    return f"{entry.label}: **{entry.value}**"
