"""How often the Hub is asked because of one person, of one server, and at all.

A look-up is up to six requests. To whom does not log in the Hub answers 500 of its API in five
minutes, and 3,000 for files: https://huggingface.co/docs/hub/rate-limits. So 40 a minute in all,
of a person 6, and of a server 20; some of each at once. What is remembered costs nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from bot.cooldown import ASKER, MINUTE_S
from bot.courtesy import Courtesy

A_MINUTE, AT_ONCE = 40, 60
OF_PERSON_A_MINUTE, OF_PERSON_AT_ONCE = 6, 12
OF_SERVER_A_MINUTE, OF_SERVER_AT_ONCE = 20, 30
ALL = 0  # of whom what all of them ask is counted


@dataclass(slots=True)
class Sparing:
    """Counts look-ups; who is not known, as in a terminal, counts only among all."""

    clock: Callable[[], float] = monotonic
    _all: Courtesy = field(init=False)
    _persons: Courtesy = field(init=False)
    _servers: Courtesy = field(init=False)

    def __post_init__(self) -> None:
        self._all = Courtesy(AT_ONCE, MINUTE_S / A_MINUTE, self.clock)
        self._persons = Courtesy(OF_PERSON_AT_ONCE, MINUTE_S / OF_PERSON_A_MINUTE, self.clock)
        self._servers = Courtesy(OF_SERVER_AT_ONCE, MINUTE_S / OF_SERVER_A_MINUTE, self.clock)

    def take(self) -> bool:
        """Whether one more may be asked, because of whose question this is; then it is counted."""
        asker, buckets = ASKER.get(), [(self._all, ALL)]
        if asker is not None:
            buckets.append((self._persons, asker.person))
            buckets += [(self._servers, asker.server)] if asker.server else []
        if any(bucket.rests(who) for bucket, who in buckets):
            return False
        for bucket, who in buckets:
            bucket.take(who)
        return True
