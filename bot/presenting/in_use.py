"""What others hold of each card, in a sentence."""

from collections.abc import Iterator

from bot.locale import Locale
from estimator import Answer, show_gib


def in_use(answer: Answer, locale: Locale) -> Iterator[str]:
    """Nothing where no amount was given; of memory shared with the system what comes off."""
    given = answer.request.in_use_bytes
    if not given:
        return
    asked = [card for card in answer.cards if card.asked] or list(answer.cards[:1])
    taken = {part.bytes for card in asked for part in card.held_back if part.key == "in_use"}
    least = min(taken, default=0)
    if least < given:
        yield locale.say("in_use_beside", given=show_gib(given), taken=show_gib(least))
    else:
        yield locale.say("in_use_off", given=show_gib(given))
