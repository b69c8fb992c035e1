"""What the Hub said, in sentences: where a shape is from, and why there is none."""

from bot.hub.repository import Missed, Reason
from bot.hub.shape import GIVEN, Check, Found
from bot.locale import Locale
from bot.reading.clean import echo
from estimator import Catalog, show_count

REVISION = 7  # characters of a commit, as git shortens it
WITH_DETAIL = (Reason.MALFORMED, Reason.TOO_LARGE, Reason.UNKNOWN_SHAPE, Reason.NO_LANGUAGE)


def refusal_of(missed: Missed, catalog: Catalog, locale: Locale) -> tuple[str, str]:
    """(code, sentence) where nothing else tells the model."""
    message = reason_of(missed, locale)
    near = catalog.models.closest(missed.id) if missed.reason is Reason.MISSING else ()
    if near:
        names = ", ".join(f"`{name}`" for name in near)
        message = f"{message} {locale.say_wrong('hub_closest', closest=names)}"
    return f"hub_{missed.reason}", message


def reason_of(missed: Missed, locale: Locale) -> str:
    """Why the Hub is of no use, in a sentence."""
    key = f"hub_{missed.reason}"
    if missed.detail and missed.reason in WITH_DETAIL:
        key = f"{key}_detail"
    return locale.say_wrong(key, name=echo(missed.id), detail=missed.detail)


def notes_of(heard: Found | Missed, model: object, locale: Locale) -> tuple[str, ...]:
    """Where the shape of `model` is from, and how far that was checked."""
    if isinstance(heard, Missed):
        reason = reason_of(heard, locale)
        return (f"{reason} {locale.say('hub_instead', model=model)}",)
    notes = [_source(heard, locale)]
    checked = _check(heard, locale)
    notes += [checked] if checked else []
    if heard.packed:
        notes.append(locale.say("hub_packed_unknown", method=heard.packed))
    if heard.blind:
        notes.append(locale.say("hub_blind"))
    return tuple(notes)


def _source(found: Found, locale: Locale) -> str:
    told = found.repository
    at = told.revision[:REVISION]
    where = locale.say("hub_at", revision=at) if at else ""
    named = echo(told.id)
    if found.shaped_by == GIVEN:
        return locale.say("hub_config", name=named, where=where)
    gated = told.without is Reason.GATED
    key = "hub_base_gated" if gated else "hub_base"
    if found.repository.gguf and found.repository.gguf.config is not None:
        key = "hub_header"
    return locale.say(key, name=named, where=where, shaped_by=found.shaped_by)


def _check(found: Found, locale: Locale) -> str:
    """How the repository's own count stands to the shape's."""
    counted, amount = found.row.parameters, found.amount
    key = f"hub_check_{found.check}"
    match found.check:
        case Check.NONE if found.repository.uncounted:
            return locale.say("hub_uncounted", detail=found.repository.uncounted)
        case Check.NONE:
            packed = found.row.published is not None and found.repository.config is not None
            return locale.say("hub_check_packed") if packed else ""
        case Check.OTHER:
            key = "hub_check_more" if amount > 0 else "hub_check_less"
        case _:
            pass
    told = found.repository
    by = told.counted_by or "GGUF"
    return locale.say(
        key,
        counted=show_count(counted),
        stored=show_count(counted + amount),
        amount=f"{abs(amount):,}",
        amount_short=show_count(abs(amount)),
        by=by,
    )
