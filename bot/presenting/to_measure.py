"""What to measure for a question: the estimate of each figure, the snippet, and what it means."""

from collections.abc import Iterator

from bot.locale import Locale
from bot.localised import typed_in
from bot.measuring.comparing import example_bytes, program_of
from bot.measuring.snippet import name_of, snippet_of
from bot.presenting.amounts import exact
from bot.presenting.presentation import Presentation, Tone
from bot.presenting.sheet import Section, Sheet
from estimator import Answer, Catalog, figure_of, show_gib_number, statistics_of

MEASURED = "measured"  # the command


def to_measure_sheet(found: Answer, shown: Presentation, catalog: Catalog, locale: Locale) -> Sheet:
    """The figure to expect first. A server's card has to be named."""
    words = locale.measured
    first, *_ = statistics_of(found.setup)
    estimate = exact(figure_of(found, first, catalog).bytes)
    example = exact(example_bytes(found, catalog))
    snippet = snippet_of(found)
    sentences = words.sentences
    return Sheet(
        tone=Tone.GOOD,
        headline=sentences["to_measure"].format(estimate=estimate, statistic=first),
        title=shown.title,
        details=tuple(_details(found, locale)),
        sections=(
            Section(words.headings["expect"], rows=tuple(_expected(found, catalog))),
            Section(
                words.headings["snippet"],
                words.how[name_of(found)],
                code=snippet.code.strip(),
                language=snippet.language,
            ),
            Section(words.headings["means"], "\n".join(_meanings(found, catalog, locale))),
            Section(words.headings["first"], sentences["first"]),
            Section(
                words.headings["record"],
                _record(shown.line, example, locale),
            ),
        ),
        line_heading=words.headings["again"],
        line=shown.line,
        asks=True,
    )


def _record(line: str, example: str, locale: Locale) -> str:
    """The line that records a peak, typed as in that language."""
    typed = typed_in(f"{MEASURED} {line} peak {example}", locale)
    return locale.measured.sentences["record"].format(typed=typed)


def engine_named(found: Answer, locale: Locale) -> str:
    """The engine's name, or that of what trains."""
    program = program_of(found)
    return locale.press.values.get(program, program)


def _details(found: Answer, locale: Locale) -> Iterator[str]:
    words = locale.measured.sentences
    if found.reservations:
        yield words["server_share"].format(engine=engine_named(found, locale))
    if found.setup.world > 1:
        yield words["each"]


def _expected(found: Answer, catalog: Catalog) -> Iterator[str]:
    """A row each, of at most 30 columns: the figure, its estimate, its range."""
    there = statistics_of(found.setup)
    name = max(map(len, there))
    for one in there:
        figure = figure_of(found, one, catalog)
        low, high = show_gib_number(figure.low_bytes), show_gib_number(figure.high_bytes)
        yield f"{one:<{name}} {show_gib_number(figure.bytes):>6} {low:>6}–{high}"


def _meanings(found: Answer, catalog: Catalog, locale: Locale) -> Iterator[str]:
    """What each figure is, with where its program says so."""
    sources = snippet_of(found).sources
    for one in statistics_of(found.setup):
        said = f"`{one}`: {locale.measured.statistics[one]}"
        source = catalog.sources.get(sources.get(one, ""))
        yield said if source is None else f"{said} ([{source.id}](<{source.where}>))"
