"""Advice → words: what to change, what that saves, and what it costs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bot.locale import Locale
from bot.presenting.names import card_name, formats_named
from bot.presenting.presentation import Presentation
from bot.presenting.sentences import capital
from estimator import Advice, Applied, CardFit, Price, Way, show_gib

PUBLISHED = "gguf:MXFP4_MOE"
SHARDED = ("sharding", "sharded_offloaded")


def with_advice(shown: Presentation, advice: Advice, line: str, locale: Locale) -> Presentation:
    """`shown` with what would make it fit; `line` asks for the first way."""
    headings = locale.reply.headings
    key = "advice" if advice.asked else "advice_for"
    details = shown.details
    if any(one.key in SHARDED for way in advice.ways for one in way.steps):
        details = tuple(one for one in details if one != locale.say("whole_on_each"))
    return replace(
        shown,
        details=details,
        advice_heading=headings[key].format(card=_named(advice.card)),
        advice=tuple(ways_said(advice, locale)),
        advice_line=line,
    )


def ways_said(advice: Advice, locale: Locale) -> Iterator[str]:
    """A sentence for each way; where there is none, the most that can be done."""
    for way in advice.ways:
        key = "advice_way_each" if advice.card.count > 1 else "advice_way"
        price = _price(way, locale)
        host = locale.say("advice_host", host=show_gib(way.host_bytes)) if way.host_bytes else ""
        said = locale.say(
            key,
            changes=_changes(way, locale),
            saved=show_gib(way.saved_bytes),
            peak=show_gib(way.peak_bytes),
            price=capital(price),
        )
        yield said + host
    if advice.closest is not None:
        yield " ".join(_nothing(advice, advice.closest, locale))


def way_in_short(way: Way, locale: Locale) -> tuple[str, str]:
    """One way in a list: what changes; which engine it then takes, and what that leaves."""
    changes = " + ".join(_change(one, locale) for one in way.steps)
    saved, peak = show_gib(way.saved_bytes), show_gib(way.peak_bytes)
    said = locale.say("advice_short", saved=saved, peak=peak)
    return changes, f"{way.engine}, {said}" if way.engine else said


def _nothing(advice: Advice, closest: Way, locale: Locale) -> Iterator[str]:
    yield locale.say(
        "advice_none",
        card=_named(advice.card),
        changes=_changes(closest, locale),
        missing=show_gib(advice.missing_bytes),
    )
    if advice.holder is None:
        yield locale.say("advice_no_holder")
    else:
        yield locale.say("advice_holder", card=_named(advice.holder))


def _named(card: CardFit) -> str:
    name = card_name(card.name)
    return f"{card.count}× {name}" if card.count > 1 else name


def _changes(way: Way, locale: Locale) -> str:
    changes = " + ".join(_change(one, locale) for one in way.steps)
    return f"{changes} ({way.engine})" if way.engine else changes


def _change(one: Applied, locale: Locale) -> str:
    words = locale.reply.changes
    values = {name: _value(name, value, one.fields) for name, value in one.fields.items()}
    own = f"{one.key}_{one.fields.get('loss') or one.fields.get('method')}"
    return words.get(own, words[one.key]).format(**values)


def _value(name: str, value: object, fields: Mapping[str, Any]) -> str:
    if name == "weights" and fields.get("bpw"):
        return f"{value} {fields['bpw']:g} bpw"
    return f"{value:,}" if isinstance(value, int) else formats_named(str(value))


def _price(way: Way, locale: Locale) -> str:
    """What each change costs; what costs nothing is not said beside what does."""
    paid = [one for one in way.steps if one.price is not Price.FREE] or list(way.steps)
    return "; ".join(dict.fromkeys(locale.reply.prices[_paid_as(one)] for one in paid))


def _paid_as(one: Applied) -> str:
    """Weights that their makers publish so are not rounded."""
    published = one.fields.get("weights") == PUBLISHED
    return one.key.removeprefix("packed_") if published else one.key
