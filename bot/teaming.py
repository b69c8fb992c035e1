"""What `/vram team` does: shows the cards that are kept, keeps others, removes or erases."""

from dataclasses import dataclass

from bot.ask import Desk
from bot.explaining.phrases import words_of
from bot.locale import Locale, load_locale
from bot.presenting.team_kept import in_short, said_fault, said_kept, said_wrong
from bot.reading.clean import clean
from bot.reading.facts import NotUnderstoodError
from bot.reading.team_cards import read_team
from bot.store.faults import StoreFault, StoreOff
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store

SHOW = "show"  # what is kept, and so does a query without words
NONE = "none"  # of the words that remove the cards, `/vram team none` among them
FORGET = "forget everything"  # erases all that is kept of the owner, once that is confirmed


@dataclass(frozen=True, slots=True)
class TeamReply:
    """`text`; `wrong`: it is for the asker alone. `confirms`: a button erases everything."""

    text: str
    wrong: bool = False
    confirms: bool = False


async def team_reply(desk: Desk, owner: Owner, query: str, *, may: bool) -> TeamReply:
    """What to say to `/vram team`; `may`: whether who asks may change what is kept."""
    locale, own = desk.locale, owner.kind is OwnerKind.USER
    wanted = clean(query).casefold()
    if not query.strip() or wanted == SHOW:
        return await _shown(desk, owner, may=may)
    if not may:
        return TeamReply(locale.say_of_team("may_not"), wrong=True)
    if wanted == FORGET:
        return TeamReply(locale.say_of_team(f"confirm_{_whose(own=own)}"), True, confirms=True)
    if says_none(query, locale):
        return await _removed(desk, owner)
    try:
        said = read_team(query, desk.reader, desk.catalog, locale, own=own)
    except NotUnderstoodError as error:
        return TeamReply(said_wrong(error.message, error.lines, locale), wrong=True)
    try:
        await _store(desk).keep_team(owner, said.team)
    except StoreFault as fault:
        cards = in_short(said.team, desk.catalog)
        return _failed(fault, "wanted_keep", locale, cards=cards)
    shown = said_kept(said.team, desk.catalog, locale, own=own, may=may, aside=said.aside)
    return TeamReply(shown)


def says_none(text: str, locale: Locale) -> bool:
    """Whether `text` says that there are no cards, in its language or in English."""
    known = (*locale.team.words[NONE], *load_locale().team.words[NONE])
    return words_of(clean(text)) in set(map(words_of, known))


async def erased(desk: Desk, owner: Owner) -> TeamReply:
    """Erase all that is kept of the owner: the press that confirms it."""
    try:
        rows = await _store(desk).forget(owner)
    except StoreFault as fault:
        return _failed(fault, "wanted_forget", desk.locale)
    key = "forgotten" if rows else "nothing_kept"
    return TeamReply(desk.locale.say_of_team(f"{key}_{_whose(own=owner.kind is OwnerKind.USER)}"))


async def _shown(desk: Desk, owner: Owner, *, may: bool) -> TeamReply:
    try:
        team = await _store(desk).team_of(owner)
    except StoreFault as fault:
        return _failed(fault, "wanted_show", desk.locale)
    own = owner.kind is OwnerKind.USER
    return TeamReply(said_kept(team, desk.catalog, desk.locale, own=own, may=may))


async def _removed(desk: Desk, owner: Owner) -> TeamReply:
    try:
        await _store(desk).keep_team(owner, None)
    except StoreFault as fault:
        return _failed(fault, "wanted_none", desk.locale)
    return TeamReply(desk.locale.say_of_team("removed"))


def _store(desk: Desk) -> Store:
    if desk.store is None:
        raise StoreOff
    return desk.store


def _failed(fault: StoreFault, key: str, locale: Locale, **values: object) -> TeamReply:
    wanted = locale.say_of_team(key, **values)
    return TeamReply(said_fault(fault, wanted, locale), wrong=True)


def _whose(*, own: bool) -> str:
    return "own" if own else "team"
