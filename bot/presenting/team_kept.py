"""What is kept of a team, in words: each card with its memory, and how to change it."""

from collections.abc import Iterator, Sequence

from bot.locale import Locale
from bot.localised import typed_in
from bot.presenting.names import card_name
from bot.presenting.sentences import ended
from bot.store.faults import StoreFault
from bot.team import Team, TeamCard
from estimator import Catalog, show_gib, total_bytes

COMMAND = "team"


def said_kept(
    team: Team | None,
    catalog: Catalog,
    locale: Locale,
    *,
    own: bool,
    may: bool,
    aside: Sequence[str] = (),
) -> str:
    """The cards, and what to type. `may`: whether who asks may change them.

    `aside`: words that were said beside them.
    """
    say = locale.say_of_team
    whose = "own" if own else "team"
    if team is None:
        lines = [say(f"none_{whose}")]
    else:
        lines = [say(f"kept_{whose}"), *(_card(card, catalog, locale) for card in team.cards)]
    if aside:
        lines.append(say("aside", words=", ".join(f"`{word}`" for word in aside)))
    lines.append(say("how_to_change" if may else "who_may"))
    return "\n".join(lines)


def in_short(team: Team, catalog: Catalog) -> str:
    """`2× RTX 3090, RTX 4090`."""
    return ", ".join(_names(team, catalog))


def said_wrong(wrong: str, lines: Sequence[str], locale: Locale) -> str:
    """What is wrong with what was typed; each of `lines` can be typed instead."""
    said = ended(wrong, locale)
    typed = [f"`/vram {typed_in(f'{COMMAND} {line}', locale)}`" for line in lines]
    typed = typed or [locale.say_of_team("examples")]
    return "\n".join([f"**{said}**", locale.say_of_team("instead", lines=" · ".join(typed))])


def said_fault(fault: StoreFault, wanted: str, locale: Locale) -> str:
    """What was wanted, why it was not done, and what to do."""
    return f"{wanted}\n{locale.store.faults[fault.key]}"


def _names(team: Team, catalog: Catalog) -> Iterator[str]:
    for card in team.cards:
        row = catalog.gpus.get(card.id) or catalog.classes.get(card.id)
        name = card.id if row is None else card_name(row.name)
        yield f"{card.count:,}× {name}" if card.count > 1 else name


def _card(card: TeamCard, catalog: Catalog, locale: Locale) -> str:
    """One kind, with the size on the box and what a program sees of it."""
    say = locale.say_of_team
    gpu, size = catalog.gpus.get(card.id), catalog.classes.get(card.id)
    each = "_each" if card.count > 1 else ""
    if gpu is not None:
        seen = show_gib(total_bytes(gpu, catalog.card_use))
        values = {"card": card_name(gpu.name), "size": gpu.memory_gb, "seen": seen}
        return say(f"card{each}", count=f"{card.count:,}", **values)
    if size is not None:
        return say(f"card_of_size{each}", count=f"{card.count:,}", size=size.memory_gb)
    return say("card_unknown", card=card.id)
