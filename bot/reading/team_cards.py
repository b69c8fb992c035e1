"""The cards that a team says it has: `2x 3090, 4090`; and what was said beside them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.changing import read_on
from bot.reading.clean import clean, echo
from bot.reading.facts import NotUnderstoodError
from bot.reading.listing import LISTED
from bot.reading.options import MOST_WORDS, Options
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.reading.walk import Scanned
from bot.reading.write import write_line
from bot.team import Team, TeamCard
from estimator import Catalog

GPUS = "gpus"
SOME = "infer 7B"  # a question that any card goes with
OF_CARDS = (GPUS, LISTED, "both", "either", "nodes", "vram")  # fields of words that say which
HINT = "_hint"  # at the end of fields that only colour other words
PARTS = ("room_share", "in_use")  # fields of a part of a card
COUNTS = ("bad_number", "bad_request")  # codes of a number of cards that cannot be
MOST_KINDS = 8
MOST_CARDS = 512  # of all kinds together; who has more knows what fits
MOST_CLOSE = 3
COUNT = compiled(r"^\d{1,4}\s?x\s?|\s?x\s?\d{1,4}$", re.IGNORECASE)  # beside a card's name


@dataclass(frozen=True, slots=True)
class TeamSaid:
    """`team`: what is to be kept; `aside`: words that say something else, cleaned."""

    team: Team
    aside: tuple[str, ...]


def read_team(
    text: str, reader: Reader, catalog: Catalog, locale: Locale, *, own: bool
) -> TeamSaid:
    """The cards in `text`; raises NotUnderstoodError, whose `lines` name cards to keep instead.

    `own`: they are to be one person's.
    """
    plain = clean(text)
    if len(plain) > MOST_WORDS:
        raise _wrong(locale.say_wrong("too_long", most=MOST_WORDS, length=len(plain)))
    scanned = reader.scanned(plain)
    if any(fact.field in PARTS for fact in scanned.said.facts):
        raise _wrong(locale.say_of_team("whole_cards"))
    try:
        gpus = reader.read(SOME, {GPUS: plain}).fields.get(GPUS, [])
    except NotUnderstoodError as error:
        gpus = [] if scanned.said.faults else reader.fields_of(plain).get(GPUS, [])
        if error.code not in ("bad_option", "bad_request") or not gpus:
            unknown = plain and not error.names and not scanned.said.facts
            if unknown and error.code not in COUNTS:
                raise _no_card(plain, catalog, locale) from None
            raise _explained(error, plain, reader, catalog, locale) from None
    if not gpus:  # a number alone, such as a card's that does not exist
        raise _no_card(plain, catalog, locale)
    aside = tuple(dict.fromkeys(echo(word) for word in _beside(scanned) if word.strip()))
    return TeamSaid(_team(gpus, locale, own=own), aside)


def read_with_team(
    team: Team | None,
    reader: Reader,
    text: str,
    options: Options | None,
    *,
    catalog: Catalog,
    locale: Locale,
) -> Reading:
    """The reading of `text`, as `read_on`; a table that no cards were named for is the team's."""
    try:
        return read_on(reader, text, options, catalog, locale)
    except NotUnderstoodError as error:
        if team is None or error.message != locale.say_wrong("no_card"):
            raise
        known = [
            one for one in team.cards if catalog.gpus.get(one.id) or catalog.classes.get(one.id)
        ]
        cards = write_line({GPUS: [{"id": one.id, "count": one.count} for one in known]})
        if not known:
            raise
        reading = read_on(reader, f"{text}, {cards}", options, catalog, locale)
        note = locale.say_of_team("taken_own" if team.own else "taken", cards=cards)
        return replace(reading, notes=(note, *reading.notes))


def _team(gpus: Sequence[Mapping[str, Any]], locale: Locale, *, own: bool) -> Team:
    """The same, each kind once, in the order it was said."""
    counts: Counter[str] = Counter()
    for card in gpus:
        counts[card["id"]] += card["count"]
    limits = {"too_many_kinds": (len(counts), MOST_KINDS)}
    limits |= {"too_many_cards": (counts.total(), MOST_CARDS)}
    for key, (said, most) in limits.items():
        if said > most:
            raise _wrong(locale.say_of_team(key, said=f"{said:,}", most=most))
    return Team(tuple(TeamCard(id_, count) for id_, count in counts.items()), own)


def _beside(scanned: Scanned) -> Iterator[str]:
    """Words that are no cards: those that say something else, and those that say nothing."""
    for fact in scanned.said.facts:
        if fact.field not in OF_CARDS and not fact.field.endswith(HINT):
            yield fact.text
    for one in scanned.said.unread:
        yield one.text
    for strange in scanned.strange:
        yield strange.text


def _explained(
    error: NotUnderstoodError, text: str, reader: Reader, catalog: Catalog, locale: Locale
) -> NotUnderstoodError:
    """What is wrong in the words of `/vram team`, with the closest cards to keep instead."""
    if error.code in COUNTS:
        return _wrong(locale.say_of_team("whole_number", most=MOST_CARDS))
    of_option = locale.say_wrong("option", name=GPUS, reason="")
    cards = [one for one in error.names if reader.fields_of(one).get(GPUS)]
    names = cards or catalog.gpus.closest(text)
    return _wrong(error.message.removeprefix(of_option), names[:MOST_CLOSE])


def _no_card(text: str, catalog: Catalog, locale: Locale) -> NotUnderstoodError:
    """Where none is named: all of the text is one that nobody knows."""
    names = catalog.gpus.closest(COUNT.sub("", text))[:MOST_CLOSE]
    closest = ", ".join(f"`{name}`" for name in names)
    key = "unknown_card_closest" if names else "unknown_card"
    return _wrong(locale.say_wrong(key, name=echo(text), closest=closest), names)


def _wrong(message: str, lines: Sequence[str] = ()) -> NotUnderstoodError:
    return NotUnderstoodError("bad_team", message, field=GPUS, lines=lines)
