"""How fast a card can decode at most, in a sentence."""

from collections.abc import Iterator

from bot.locale import Locale
from bot.presenting.names import card_name
from estimator import THOUSAND, Answer, ServeSetup, Verdict, fastest_decode

FEW = 10  # tokens a second; below it tenths are shown


def decoding(answer: Answer, locale: Locale) -> Iterator[str]:
    """Of a card that was named and may hold it, and whose bandwidth is known."""
    if not isinstance(answer.setup, ServeSetup):
        return
    bound = fastest_decode(answer.setup, answer.estimate)
    held = any(card.asked and card.verdict is not Verdict.NO for card in answer.cards)
    if bound is None or not held:
        return
    several = answer.setup.users > 1
    yield locale.say(
        "decode_together" if several else "decode",
        each=_rate(bound.each),
        together=_rate(bound.together),
        users=f"{answer.setup.users:,}",
        card=card_name(bound.card),
        gbs=f"{bound.bandwidth / THOUSAND**3:,.0f}",
    )


def _rate(tokens: float) -> str:
    """Rounded down: it is the most there can be."""
    return f"{tokens:,.1f}" if tokens < FEW else f"{int(tokens):,}"
