"""Whether an answer fits the cards of a team, in a line or two."""

from dataclasses import replace

from bot.locale import Locale
from bot.presenting.grades import HOLDING, TONES, Grade, grade
from bot.presenting.names import card_name
from bot.presenting.presentation import Comparison, Presentation, Tone
from bot.team import Team
from estimator import OnOwnCards, OwnFit, show_gib

PAIR = 2
MOST_NAMES = 3  # of cards, where each does alone


def with_team(shown: Presentation, found: OnOwnCards, team: Team, locale: Locale) -> Presentation:
    """The answer with the verdict on the team's cards, and what they are."""
    say = locale.say_of_team
    none_known = len(found.unknown) == len(team.cards)
    said = [] if none_known else [_verdict(found, locale)]
    if found.unknown:
        said.append(say("unknown", cards=", ".join(found.unknown)))
    return replace(shown, team_heading=heading(team, locale), team=tuple(said))


def with_team_beside(
    shown: Comparison, found: dict[str, OnOwnCards], team: Team, locale: Locale
) -> Comparison:
    """Side by side: a word each; `found` by the line that asks for a side.

    Rows without an estimate have no line, and come last.
    """
    lines = (*shown.lines, *[""] * len(shown.rows))
    rows = tuple(
        replace(row, holds=_beside(row.holds, found[line], team, locale)) if line in found else row
        for row, line in zip(shown.rows, lines, strict=False)
    )
    return replace(shown, rows=rows)


def heading(team: Team, locale: Locale) -> str:
    """Whose cards they are."""
    return locale.say_of_team("heading_own" if team.own else "heading")


def counted(name: str, count: int) -> str:
    """`2× RTX 3090`; one card by its name alone."""
    return f"{count:,}× {card_name(name)}" if count > 1 else card_name(name)


def _beside(holds: str, found: OnOwnCards, team: Team, locale: Locale) -> str:
    word = locale.reply.verdicts[_grade(found)]
    key = "side_own" if team.own else "side"
    return locale.say_of_team(key, holds=holds, verdict=word)


def _grade(found: OnOwnCards) -> Grade:
    best = found.best
    if best is None:
        return Grade.NO
    judged = grade(best.fit)
    if found.nearest is None or judged not in HOLDING:
        return judged
    return Grade.NO  # it would go in, but what runs it does not start there


def _verdict(found: OnOwnCards, locale: Locale) -> str:
    """The word, and on which of the cards."""
    judged = _grade(found)
    where = _where(found, judged, locale)
    return locale.say_of_team("verdict", verdict=locale.reply.verdicts[judged], where=where)


def _where(found: OnOwnCards, judged: Grade, locale: Locale) -> str:
    say, best = locale.say_of_team, found.best
    if best is None:
        return say("runs_on_none")
    if TONES[judged] is not Tone.BAD:
        if found.together is not None:
            return say("together", count=f"{best.own:,}", way=_way(best, locale))
        places = [_place(one, locale) for one in found.held[:MOST_NAMES]]
        return say("on", places=say("or").join(places))
    gap = best.fit.gap_bytes
    if gap <= 0:
        return say("no_start", place=_place(best, locale))
    if best.fit.count > 1:
        each = f"{counted(best.fit.name, best.fit.count)}{_way(best, locale)}"
        return say("short_each", gap=show_gib(gap), place=each)
    return say("short", gap=show_gib(gap), place=card_name(best.fit.name))


def _place(one: OwnFit, locale: Locale) -> str:
    """`one of 2× RTX 3090`, `both RTX 3090 with FSDP`, `4 of 8× H100 with FSDP`."""
    count, own = one.fit.count, one.own
    name = card_name(one.fit.name)
    if own == 1:
        return name
    key = "one_of" if count == 1 else "some_of"
    if count == own:
        key = "both_of" if own == PAIR else "all_of"
    values = {"count": f"{count:,}", "own": f"{own:,}", "card": name}
    return locale.say_of_team(key, **values, way=_way(one, locale))


def _way(one: OwnFit, locale: Locale) -> str:
    return locale.say(f"way_{one.strategy}")
