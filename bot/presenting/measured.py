"""A measured peak beside its estimate, and the records of a team, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.locale import Locale
from bot.measuring.comparing import Compared, Comparison
from bot.measuring.record import Record, Standing
from bot.presenting.amounts import exact
from bot.presenting.presentation import Tone
from bot.presenting.sheet import Section, Sheet
from estimator import Statistic, show_gib_number

SAME = 0.0005  # apart, below which it is shown as none
TIMES = 2.0  # from here on it is said how many times it is
LISTED = 10
UNSURE = "unsure"  # of faults, the one after which it may be kept or not
MOST_LINE = 120  # characters of a line in a list


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a record: how the owner's stand with it, or the `fault` that kept it out.

    `days`: for how long it is kept.
    """

    standing: Standing | None = None
    fault: str = ""
    days: int = 0


def comparison_sheet(found: Comparison, title: str, kept: Kept | None, locale: Locale) -> Sheet:
    """The verdict, both figures, what was taken for granted, and how all records stand.

    `kept`: None where there is nothing that could keep it, as in a terminal.
    """
    words = locale.measured
    return Sheet(
        tone=tone_of(found.kept),
        headline=verdict(found.kept, locale),
        title=title,
        details=(*_figures(found.kept, locale), *_taken(found, locale)),
        sections=(
            Section(words.headings["compared"], rows=_table(found.compared)),
            Section(words.headings["kept"], "\n".join(_kept(found, kept, locale))),
        ),
        line_heading=words.headings["again"],
        line=found.line,
    )


def list_sheet(records: Sequence[Record], standing: Standing | None, locale: Locale) -> Sheet:
    """The newest records of an owner, each in a line, and how all of them stand."""
    words = locale.measured
    if standing is None:
        return Sheet(Tone.CLOSE, words.sentences["list_title_all"].format(count=0), "",
                     (words.sentences["list_none"],))  # fmt: skip
    shown = records[:LISTED]
    key = "list_title" if len(records) > len(shown) else "list_title_all"
    headline = words.sentences[key].format(shown=len(shown), count=len(records))
    return Sheet(
        tone=Tone.GOOD if 2 * standing.inside > standing.count else Tone.CLOSE,
        headline=headline,
        title="",
        details=tuple(_listed(one, locale) for one in shown),
        sections=(Section(words.headings["kept"], "\n".join(_standing(standing, locale))),),
    )


def forgotten(record: Record | None, locale: Locale) -> str:
    """What was taken back."""
    words = locale.measured.sentences
    if record is None:
        return words["forgot_none"]
    measured = exact(record.measured_bytes)
    line = _short(record.line)
    return words["forgot"].format(line=line, measured=measured, statistic=record.statistic)


def not_kept(fault: str, locale: Locale) -> str:
    """Why it is not kept, or that nobody can tell."""
    words = locale.measured.sentences
    if fault == UNSURE:
        return words["unsure"]
    return words["unkept"].format(why=locale.store.faults[fault])


def verdict(one: Compared, locale: Locale) -> str:
    """How far off it is, and whether that is inside the range."""
    words = locale.measured.sentences
    off = one.ratio - 1
    inside = one.figure.low_bytes <= one.amount.bytes <= one.figure.high_bytes
    if inside and abs(off) < SAME:
        return words["same"]
    if one.ratio >= TIMES and not inside:
        return words["times_outside"].format(times=f"{one.ratio:,.1f}")
    key = f"{'more' if off > 0 else 'less'}_{'inside' if inside else 'outside'}"
    return words[key].format(percent=_percent(abs(off)))


def tone_of(one: Compared) -> Tone:
    """Good inside the range; bad where it is above it, since that costs a run."""
    if one.amount.bytes > one.figure.high_bytes:
        return Tone.BAD
    return Tone.GOOD if one.amount.bytes >= one.figure.low_bytes else Tone.CLOSE


def _figures(one: Compared, locale: Locale) -> Iterator[str]:
    words = locale.measured
    figure = one.figure
    yield words.sentences["figures"].format(
        measured=exact(one.amount.bytes),
        estimate=exact(figure.bytes),
        low=exact(figure.low_bytes),
        high=exact(figure.high_bytes),
    )
    meaning = words.statistics[one.statistic]
    yield words.sentences["figure_is"].format(statistic=one.statistic, meaning=meaning)


def _taken(found: Comparison, locale: Locale) -> Iterator[str]:
    """How what was typed was taken, and what to ask back."""
    words, one = locale.measured.sentences, found.kept
    if one.is_far:
        yield words["far_device" if one.statistic is Statistic.DEVICE else "far"]
    if found.instead_of is not None:
        yield words["kind_instead"].format(statistic=one.statistic, said=found.instead_of)
    if not found.told:
        yield words["kind_taken"].format(statistic=one.statistic)
    if one.amount.is_decimal:
        amount = one.amount
        yield words["decimal"].format(
            said=amount.said, gib=exact(amount.bytes), binary=amount.binary
        )


def _table(rows: Sequence[Compared]) -> tuple[str, ...]:
    """A row each, of at most 30 columns: the figure, estimated, measured, the difference."""
    name = max(len(one.statistic) for one in rows)
    return tuple(
        f"{one.statistic:<{name}} {show_gib_number(one.figure.bytes):>6} "
        f"{show_gib_number(one.amount.bytes):>6} {_signed(one.ratio - 1):>6}"
        for one in rows
    )


def _kept(found: Comparison, kept: Kept | None, locale: Locale) -> Iterator[str]:
    words = locale.measured
    if kept is None:
        yield words.sentences["console"]
        return
    if kept.fault:
        yield not_kept(kept.fault, locale)
        return
    if kept.standing is not None:
        yield from _standing(kept.standing, locale)
    if len(found.compared) > 1:
        yield words.sentences["kept_one"].format(statistic=found.kept.statistic)
    yield words.sentences["kept"].format(days=kept.days)


def _standing(standing: Standing, locale: Locale) -> Iterator[str]:
    words = locale.measured.sentences
    if standing.count == 1:
        yield words["first_record"]
        return
    yield words["standing"].format(
        count=f"{standing.count:,}", off=_percent(standing.off), inside=f"{standing.inside:,}"
    )
    if len(standing.by_task) > 1:
        yield " · ".join(
            words["by_task"].format(task=task, off=_percent(off))
            for task, off in standing.by_task.items()
        )


def _listed(one: Record, locale: Locale) -> str:
    return locale.measured.sentences["list_line"].format(
        difference=_signed(one.difference),
        line=_short(one.line),
        measured=exact(one.measured_bytes),
        estimate=exact(one.estimated_bytes),
        statistic=one.statistic,
        at=one.kept_at,
    )


def _short(line: str) -> str:
    return line if len(line) <= MOST_LINE else f"{line[: MOST_LINE - 1]}…"


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 1 else f"{share:,.0%}"


def _signed(share: float) -> str:
    """`+3.9%`; without a decimal where there is no room for one."""
    if abs(share) < SAME:
        return "0%"
    return f"{share:+.1%}" if abs(share) < 1 else f"{share:+,.0%}"
