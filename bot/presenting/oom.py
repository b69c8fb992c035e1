"""A diagnosis → an explanation: the verdict in a sentence, what the card held, what to do."""

from collections.abc import Iterator, Sequence

from bot.diagnosis.diagnosis import NOTES, Account, Cause, Diagnosis, Finding, Holder, Part, Program
from bot.locale import Locale
from bot.presenting.amounts import exact, named
from bot.presenting.column import in_gib
from bot.presenting.names import card_name
from bot.presenting.oom_run import match_said, run_said
from bot.presenting.presentation import OomExplanation, Row, Tone
from bot.presenting.sentences import ENDS, ended, inner
from estimator import Answer, show_gib_number

GOOD = (Cause.INFO,)
CLOSE = (Cause.PINNED, Cause.PLENTY_FREE, Cause.NO_SIZES, Cause.GUARDRAIL)
FEWEST_PARTS = 2  # of a card, below which they are no table
LEAST_SHOWN = 0.005  # of the whole; less would round to nothing
SAME = 0.01  # of the total, within which the parts are it
LOGGED = (Holder.WEIGHTS, Holder.CACHE, Holder.ACTIVATIONS)


def explain(
    found: Diagnosis,
    locale: Locale,
    *,
    run: Answer | None = None,
    lines: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> OomExplanation:
    """The whole of it; `run`: what the estimate beside it is of, `notes` of how it was read."""
    words = locale.oom
    held, whole = _held(found.account, limited="limit" in found.message.figures, locale=locale)
    return OomExplanation(
        tone=_tone(found.verdict.cause),
        title=_title(found, locale),
        headline=headline_of(found.verdict, locale),
        details=(*_details(found, run, locale), *notes),
        held_heading=words.headings["held_log" if _is_log(found) else "held"],
        whole=whole,
        held=held,
        tried=_tried(found.account, locale) if held else "",
        steps_heading=words.headings["steps"],
        steps=tuple(words.steps[step.key].format(**named(step.values)) for step in found.steps),
        run_heading=words.headings["run"],
        run=() if run is None else tuple(run_said(found, run, locale)),
        lines_heading=words.headings["again"],
        lines=tuple(lines),
    )


def headline_of(finding: Finding, locale: Locale) -> str:
    """One cause in a sentence."""
    return locale.oom.headlines[key_of_finding(finding)].format(**named(finding.values))


def key_of_finding(finding: Finding) -> str:
    """The name of its sentence."""
    return f"{finding.cause}_{finding.kind}" if finding.kind else str(finding.cause)


def _tone(cause: Cause) -> Tone:
    if cause in GOOD:
        return Tone.GOOD
    return Tone.CLOSE if cause in CLOSE else Tone.BAD


def _title(found: Diagnosis, locale: Locale) -> str:
    program = locale.oom.programs[found.program]
    if found.verdict.cause is Cause.INFO:
        key = "title_log_only" if found.program is Program.OTHER else "title_log"
        return locale.oom.sentences[key].format(program=program)
    device = found.message.counts.get("device")
    if device is None or device < 0:
        return program
    return locale.oom.sentences["title_device"].format(program=program, device=f"{device:.0f}")


def _details(found: Diagnosis, run: Answer | None, locale: Locale) -> Iterator[str]:
    """Why, what else holds, what was tried, and whose card it is."""
    words = locale.oom
    key = key_of_finding(found.verdict)
    if key in words.whys:
        yield words.whys[key].format(**named(found.verdict.values))
    for other in found.findings[1:]:
        said = headline_of(other, locale)
        if other.cause in NOTES or said.endswith(ENDS):
            yield said
        else:
            yield words.sentences["also"].format(said=ended(inner(said, locale), locale))
    if found.match is not None and run is not None:
        yield match_said(found, run, locale)
    if found.cards:
        names = ", ".join(card_name(name) for name in found.cards)
        total = exact(found.message.figures["total"])
        key = "cards" if len(found.cards) > 1 else "card"
        yield words.sentences[key].format(total=total, cards=names)


def _is_log(found: Diagnosis) -> bool:
    return any(part.holder in LOGGED for part in found.account.parts)


def _held(account: Account, *, limited: bool, locale: Locale) -> tuple[tuple[Row, ...], Row | None]:
    """A row for each part, and their sum: the card's total, or more than it."""
    words, parts = locale.oom.parts, account.parts
    if len(parts) < FEWEST_PARTS:
        return (), None
    together = sum(part.bytes for part in parts)
    whole = max(together, 1)
    rows = tuple(
        _row(_label(part, locale), part.bytes, number, part.bytes / whole)
        for part, number in zip(parts, in_gib([part.bytes for part in parts]), strict=True)
    )
    total = account.total_bytes
    same = total and abs(together - total) <= SAME * total
    label = words["limit" if limited else "total"] if same else words["together"]
    size = total if same else together
    return rows, _row(label, size, show_gib_number(size), 1.0)


def _row(label: str, amount: int, number: str, share: float) -> Row:
    percent = f"{share:.0%}" if share >= LEAST_SHOWN else "<1%"
    return Row(label, exact(amount), number, share, percent, "")


def _label(part: Part, locale: Locale) -> str:
    words = locale.oom.parts
    return words["process"].format(pid=part.pid) if part.pid else words[part.holder]


def _tried(account: Account, locale: Locale) -> str:
    """What did not go in on top of it."""
    return (
        f"{exact(account.tried_bytes)} {locale.oom.parts['tried']}" if account.tried_bytes else ""
    )
