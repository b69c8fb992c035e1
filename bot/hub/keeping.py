"""How long what the Hub said is believed, and what of it is kept in memory: the newest."""

from collections import OrderedDict
from dataclasses import dataclass, field

from bot.hub.repository import Missed, Outcome, Reason

MINUTE_S = 60
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S
FOUND_S = 7 * DAY_S  # a shape does not change; a name may be given to another model
MISSED_S = {  # longer for what is so than for what went wrong
    Reason.MISSING: HOUR_S,
    Reason.NO_CONFIG: HOUR_S,
    Reason.TOO_LARGE: HOUR_S,
    Reason.ELSEWHERE: HOUR_S,
    Reason.GATED: 30 * MINUTE_S,
    Reason.MALFORMED: 30 * MINUTE_S,
    Reason.RATE_LIMITED: 5 * MINUTE_S,
    Reason.SERVER_ERROR: 2 * MINUTE_S,
    Reason.SLOW: MINUTE_S,
    Reason.OFFLINE: MINUTE_S,
}
PASSING = (Reason.RATE_LIMITED, Reason.SERVER_ERROR, Reason.SLOW, Reason.OFFLINE)
MOST_IN_MEMORY = 128  # of at most 256 KiB each, and most have two

Kept = tuple[Outcome, float]  # and until when it is believed


def believed_s(outcome: Outcome) -> float:
    """For how many seconds; 0 for what is never kept."""
    return MISSED_S.get(outcome.reason, 0) if isinstance(outcome, Missed) else FOUND_S


def outlives(outcome: Outcome) -> bool:
    """Whether it may be kept on disk: what passes is asked anew after a start."""
    return not isinstance(outcome, Missed) or outcome.reason not in PASSING


@dataclass(slots=True)
class Memory:
    """The newest of what was asked, by key; the one that was used longest ago gives way."""

    most: int = MOST_IN_MEMORY
    _kept: OrderedDict[str, Kept] = field(default_factory=OrderedDict)

    def get(self, key: str, now: float) -> Outcome | None:
        """What is known of `key` and still believed."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        outcome, until = kept
        if now >= until:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return outcome

    def put(self, key: str, outcome: Outcome, until: float) -> None:
        """Keep it until then."""
        self._kept[key] = outcome, until
        self._kept.move_to_end(key)
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)
