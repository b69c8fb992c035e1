"""An estimate of what ran, beside its out-of-memory message: what agrees, and how far off it is."""

from collections.abc import Iterator

from bot.diagnosis.diagnosis import Beside, Diagnosis, Holder
from bot.locale import Locale
from bot.presenting.amounts import exact, named
from bot.presenting.names import card_name, formats_named, line_name
from estimator import Answer, CardFit, ServeSetup, Verdict, show_gib

WHOLE_FROM = 0.1
SAME_CARD = 0.03  # of a total, by which cards of one kind differ
MOST_ASSUMED = 5
MOVING = (  # fields that move memory most
    *("batch", "seq", "context", "users", "checkpointing", "method", "weights", "optimizer"),
    *("loss", "attention", "strategy", "rank", "kv", "engine"),
)


def run_said(found: Diagnosis, run: Answer, locale: Locale) -> Iterator[str]:
    """The estimate, how far it is off, and what may differ where it says that all fits."""
    words = locale.oom.sentences
    peak = run.estimate.peak
    asked = [card for card in run.cards if card.asked]
    card = max(asked, key=lambda one: one.gap_bytes, default=None)
    values = {
        "peak": show_gib(peak.bytes),
        "low": show_gib(run.estimate.low_bytes),
        "high": show_gib(run.estimate.high_bytes),
        "moment": locale.reply.moments[peak.name],
    }
    if card is None:
        yield words["run_peak_open"].format(**values)
    else:
        yield words["run_peak"].format(**values, verdict=_verdict(card, locale))
    if found.beside is not None:
        yield _beside(found.beside, run, locale)
    if card is not None:
        yield from _cards(found, card, locale)
        yield from _without_others(found, card, locale)
        if card.verdict is Verdict.FITS:
            yield _fits(run, locale)


def match_said(found: Diagnosis, run: Answer, locale: Locale) -> str:
    """Which line of the estimate what was tried is."""
    match = found.match
    if match is None:
        return ""
    said = named(match.values) | {"tried": exact(found.account.tried_bytes)}
    said["line"] = line_name(match.line, locale, serving=isinstance(run.setup, ServeSetup))
    return locale.oom.sentences[f"match_{match.form}"].format(**said)


def _beside(beside: Beside, run: Answer, locale: Locale) -> str:
    words = locale.oom.sentences
    values = {"shown": exact(beside.shown_bytes), "estimate": exact(beside.estimate_bytes)}
    if not beside.bound:
        part = line_name(beside.part, locale, serving=isinstance(run.setup, ServeSetup))
        return words["run_part"].format(**values, part=part, off=_percent(beside.off, "+"))
    key = "run_above" if beside.off >= 0 else "run_below"
    return words[key].format(**values, off=_percent(abs(beside.off)))


def _percent(share: float, sign: str = "") -> str:
    """A share to a tenth of a percent; a large one to a whole percent."""
    return f"{share:{sign}.0%}" if abs(share) >= WHOLE_FROM else f"{share:{sign}.1%}"


def _verdict(card: CardFit, locale: Locale) -> str:
    name = f"{card.count}× {card_name(card.name)}" if card.count > 1 else card_name(card.name)
    return f"{name} {locale.reply.verdicts[card.verdict]}"


def _cards(found: Diagnosis, card: CardFit, locale: Locale) -> Iterator[str]:
    """That the settings name another card than the message, where they do."""
    total = found.message.figures.get("total", 0)
    if total and abs(total - card.total_bytes) > SAME_CARD * total:
        said = {"named": exact(card.total_bytes), "total": exact(total)}
        yield locale.oom.sentences["other_card"].format(**said)


def _without_others(found: Diagnosis, card: CardFit, locale: Locale) -> Iterator[str]:
    """Whether ending other programs would be enough."""
    others = sum(one.bytes for one in found.account.parts if one.holder is Holder.PROCESSES)
    if others and card.verdict is not Verdict.FITS:
        enough = card.high_bytes <= card.usable_bytes + others
        yield locale.oom.sentences["run_alone" if enough else "run_alone_no"]


def _fits(run: Answer, locale: Locale) -> str:
    """What was left open is what may differ."""
    words = locale.oom.sentences
    open_ = sorted(
        (one for one in run.assumed if one.field in MOVING),
        key=lambda one: MOVING.index(one.field),
    )
    taken = [f"{one.field} {formats_named(one.value)}" for one in open_[:MOST_ASSUMED]]
    if not taken:
        return words["run_fits_said"]
    return words["run_fits"].format(assumed=", ".join(f"`{one}`" for one in taken))
