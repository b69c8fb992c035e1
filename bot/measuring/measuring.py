"""A question and a peak → what is said of them, and the record of it; whoever asks shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import time

from bot.ask import Answered, Desk
from bot.asking import begun
from bot.locale import Locale
from bot.measuring.amounts import AmountError
from bot.measuring.comparing import (
    Comparison,
    PeakRefused,
    compare,
    example_bytes,
    most_bytes,
    refuse_without_card,
)
from bot.measuring.peaks import read_peaks, read_statistic
from bot.measuring.record import standing_of
from bot.measuring.requests import Wish, read_request
from bot.presenting.amounts import exact
from bot.presenting.measured import Kept, comparison_sheet, forgotten, list_sheet
from bot.presenting.present import refuse
from bot.presenting.presentation import Refusal
from bot.presenting.sheet import Sheet
from bot.presenting.to_measure import MEASURED, engine_named, to_measure_sheet
from bot.reading.clean import echo
from bot.replies import Refused, Replied, Unfinished, Weighed
from bot.store.faults import StoreFault, StoreOff
from bot.store.measurements import MEASUREMENTS_DAYS
from bot.store.owner import Owner
from bot.store.store import Store

NAME = MEASURED
EXAMPLE = "7B adam lora, rtx-4090"
WITHOUT_FIGURE = ("needs_card", "nothing_on_card")
MOST_LINES = 3

Said = Sheet | Refusal | str


@dataclass(frozen=True, slots=True)
class Recorder:
    """Who records, and whose the record is."""

    owner: Owner
    person_id: int


async def measured(
    desk: Desk, text: str, peak: str | None, kind: str, recorder: Recorder | None
) -> Said:
    """What there is to say; never raises for what can be typed, nor for what a store does.

    A `peak`, also an empty one, wins over one in the `text`; `kind` names the figure, or is
    empty. `recorder`: None where nothing is kept.
    """
    asked = read_request(text, desk.locale)
    match asked.wish:
        case Wish.LIST:
            return await _listed(desk, recorder)
        case Wish.FORGET:
            return await _forgotten(desk, recorder)
        case Wish.COMPARE:
            said = peak if peak is not None else asked.peak or None
            return await _compared(desk, asked.question, said, kind, recorder)


async def _compared(
    desk: Desk, question: str, peak: str | None, kind: str, recorder: Recorder | None
) -> Said:
    if not question:
        return _refusal(desk.locale, "no_query", "", [f"{NAME} {EXAMPLE}"])
    desk, found = await _found(desk, question)
    if isinstance(found, Refused):
        return found.refusal
    if not isinstance(found, Replied):
        return _of_several(desk.locale, found)
    shown = found.presentation
    try:
        refuse_without_card(found.answer)
        if peak is None:
            return to_measure_sheet(found.answer, shown, desk.catalog, desk.locale)
        said = read_statistic(kind)
        comparison = compare(found.answer, shown.line, read_peaks(peak), said, desk.catalog)
    except AmountError as error:
        again = [f"{NAME} {shown.line} peak {one}" for one in _instead(error, found, desk)]
        values = {"said": echo(error.said)}
        return _refusal(desk.locale, error.key, shown.line, again, **values)
    except PeakRefused as error:
        return _of_refused(desk, error, found)
    kept = None if recorder is None else await _keep(desk.store, recorder, comparison)
    return comparison_sheet(comparison, shown.title, kept, desk.locale)


async def _found(desk: Desk, text: str) -> tuple[Desk, Answered | Unfinished]:
    """The answer without advice, and the desk that knows its model."""
    found = begun(desk, text)
    if not found.strange or desk.hub is None:
        return desk, found
    outcome = await desk.hub.recall(found.strange) or await desk.hub.look_up(found.strange)
    desk = desk.having_heard(outcome)
    return desk, begun(desk, text)


async def _keep(store: Store | None, recorder: Recorder, comparison: Comparison) -> Kept:
    """Keep it, if it can be; how all of the owner's stand then."""
    try:
        if store is None:
            raise StoreOff
        record = comparison.record(int(time()))
        records = await store.keep_measurement(recorder.owner, recorder.person_id, record)
    except StoreFault as fault:
        return Kept(fault=fault.key)
    return Kept(standing_of(records), days=MEASUREMENTS_DAYS)


async def _listed(desk: Desk, recorder: Recorder | None) -> Said:
    words = desk.locale.measured.sentences
    if recorder is None:
        return words["console"]
    try:
        if desk.store is None:
            raise StoreOff
        records = await desk.store.measurements_of(recorder.owner)
    except StoreFault as fault:
        return words["unlisted"].format(why=desk.locale.store.faults[fault.key])
    return list_sheet(records, standing_of(records), desk.locale)


async def _forgotten(desk: Desk, recorder: Recorder | None) -> Said:
    words = desk.locale.measured.sentences
    if recorder is None:
        return words["console"]
    try:
        if desk.store is None:
            raise StoreOff
        record = await desk.store.forget_last(recorder.owner, recorder.person_id)
    except StoreFault as fault:
        return words["unforgotten"].format(why=desk.locale.store.faults[fault.key])
    return forgotten(record, desk.locale)


def _of_several(locale: Locale, found: Answered | Unfinished) -> Refusal:
    """What is no one run: each of the runs that are compared, or an example."""
    lines = found.comparison.lines if isinstance(found, Weighed) else (EXAMPLE,)
    return _refusal(locale, "one_run", "", [f"{NAME} {line}" for line in lines])


def _of_refused(desk: Desk, error: PeakRefused, found: Replied) -> Refusal:
    """With the engine by its name, and a line that names a card where one is missing."""
    line, locale = found.presentation.line, desk.locale
    named = dict(error.values)
    if "engine" in named:
        named["engine"] = engine_named(found.answer, locale)
    if error.key in WITHOUT_FIGURE:
        instead = f"{NAME} {line}, h100" if error.key == "needs_card" else f"{NAME} {EXAMPLE}"
        return _refusal(locale, error.key, line, [instead], **named)
    return _refusal(
        locale, error.key, line, [f"{NAME} {line} peak {_example(found, desk)}"], **named
    )


def _instead(error: AmountError, found: Replied, desk: Desk) -> Sequence[str]:
    """Peaks to type in the place of one."""
    said = echo(error.said)
    units = [f"{said} GiB", f"{said} MiB"] if error.key == "no_unit" else []
    most = most_bytes(found.answer, desk.catalog)
    return [one for one in units if 0 < _bytes_of(one) <= most] or [_example(found, desk)]


def _bytes_of(said: str) -> int:
    """What is said is so many bytes; none of what is no amount."""
    try:
        amount = read_peaks(said).amount
    except AmountError:
        return 0
    return 0 if amount is None else amount.bytes


def _example(found: Replied, desk: Desk) -> str:
    """A peak that it could be."""
    return exact(example_bytes(found.answer, desk.catalog))


def _refusal(
    locale: Locale, key: str, understood: str, lines: Sequence[str], **values: object
) -> Refusal:
    wrong = locale.measured.refused[key].format(**values)
    return refuse(understood, wrong, lines[:MOST_LINES], locale)
