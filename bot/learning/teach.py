"""A place in the walk → what is shown there. Every number is the estimator's, at that moment."""

from bot.learning.asking import fields_of
from bot.learning.bars import bars_of
from bot.learning.buttons import rows_at
from bot.learning.held import Held, held_at
from bot.learning.lesson import Lesson
from bot.learning.moved import moved
from bot.learning.place import START, Place
from bot.learning.runs import load_runs
from bot.learning.steps import STEPS, Axis, Step
from bot.learning.sums import Values, values_of
from bot.locale import Locale
from bot.localised import commands_in
from bot.presenting.explanation import Cited
from bot.reading.write import write_line
from estimator import Catalog

NONE = ("0", "0 bytes")  # of each logit, or for each token, where none are held


def lesson(place: Place, before: Place | None, catalog: Catalog, locale: Locale) -> Lesson:
    """The step of a place, with what moved since the place `before` it."""
    words, heads = locale.learn.steps[place.step], locale.learn.sentences
    now = held_at(place, catalog)
    past = None if before is None or before == place else _past(place, before, catalog)
    values = _spoken(place, now, locale)
    ends = {**values, **commands_in(locale)}
    none = values.get("each") in NONE
    real = place.step is Step.REAL
    run = load_runs().named(place.value(Axis.RUN))
    aside = {heads["measured"]: run.bytes} if real else {}
    return Lesson(
        title=words.title.format(**values),
        moved=_moved(place, before, now, past, locale),
        text=words.text.format(**values).strip(),
        sum=(words.otherwise if none else words.sum).format(**values),
        bars=bars_of(now.lines, None if past is None else past.lines, locale, aside),
        source=_source(run.source, catalog) if real else None,
        further_heading=heads["further"],
        further=tuple(one.format(**ends) for one in locale.learn.further) if real else (),
        line_heading=heads["line"],
        line=write_line(fields_of(place)),
        foot=heads["foot"].format(number=place.number, steps=len(STEPS)),
        rows=rows_at(place, locale),
    )


def walk(catalog: Catalog, locale: Locale) -> tuple[Lesson, ...]:
    """All steps from the beginning, with nothing chosen."""
    places = [START.at(step) for step in STEPS]
    before = [None, *places[:-2], None]
    return tuple(
        lesson(place, past, catalog, locale) for place, past in zip(places, before, strict=True)
    )


def _past(place: Place, before: Place, catalog: Catalog) -> Held | None:
    """What was held before; none where another run is no change of this one."""
    real = [one.step is Step.REAL for one in (place, before)]
    return held_at(before, catalog) if all(real) or not any(real) else None


def _moved(place: Place, before: Place | None, now: Held, past: Held | None, locale: Locale) -> str:
    """Nothing is said of a step that begins where the one before it ended."""
    if before is None or past is None:
        return ""
    same = now.bytes == past.bytes
    return "" if same and before.step is not place.step else moved(now, past, locale)


def _spoken(place: Place, now: Held, locale: Locale) -> Values:
    """The values of a step with those that are words."""
    heads = locale.learn.sentences
    values = {**values_of(place, now, locale), "moment": locale.reply.moments[now.moment.name]}
    if place.step is not Step.REAL:
        return values
    run = load_runs().named(place.value(Axis.RUN))
    inside = now.low_bytes <= run.bytes <= now.high_bytes
    return {
        **values,
        "side": heads["above" if now.bytes >= run.bytes else "below"],
        "range": heads["in_range" if inside else "out_of_range"].format(**values),
    }


def _source(name: str, catalog: Catalog) -> Cited:
    row = catalog.sources.find(name)
    return Cited(row.id, row.title, row.where)
