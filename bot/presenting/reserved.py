"""What a server takes of the cards that were asked about, and the cache that this leaves."""

from collections.abc import Iterator

from bot.locale import Locale
from bot.presenting.names import card_name
from estimator import Answer, Reservation, ServeSetup, show_gib


def reserved(answer: Answer, locale: Locale) -> Iterator[str]:
    """A sentence a kind of card; none where nothing is left, which a warning says."""
    setup = answer.setup
    if isinstance(setup, ServeSetup):
        for one in answer.reservations:
            if one.users:
                yield _sentence(one, setup, locale)


def _sentence(one: Reservation, setup: ServeSetup, locale: Locale) -> str:
    return locale.say(
        "reserved_one" if one.users == 1 else "reserved",
        engine=one.engine,
        share=f"{one.share:.0%}",
        bytes=show_gib(one.bytes),
        card=card_name(one.card),
        pool=show_gib(one.pool_bytes),
        tokens=f"{one.pool_tokens:,}",
        users=f"{one.users:,}",
        context=f"{setup.context:,}",
    )
