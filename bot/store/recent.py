"""The cards of teams, remembered for a moment: every answer asks for them.

A look-up is short: where the store does not say it in time, what was known of it before holds,
or nothing; the answer does not wait. After that nobody asks for a while; where only what is kept
of one owner is broken, only that owner's is not asked for.
"""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from bot.store.faults import RowDamaged, StoreFault
from bot.store.owner import Owner
from bot.team import Team

log = logging.getLogger(__name__)

KEPT_S = 30.0  # for which another process's change may go unseen
MOST = 4096  # owners
REST_S = 5.0  # after a look-up that failed
QUIET_S = 60.0  # between two lines of the log that say so


@dataclass(frozen=True, slots=True)
class _Known:
    team: Team | None
    at: float


class RecentTeams:
    """What was looked up last; `changed` has to be told of each change."""

    def __init__(self) -> None:
        self._known: OrderedDict[Owner, _Known] = OrderedDict()
        self._changes = 0
        self._rests_until = 0.0
        self._quiet_until = 0.0

    async def of(self, owner: Owner, look_up: Callable[[], Awaitable[Team | None]]) -> Team | None:
        """The cards of a team, as far as they can be had; never raises StoreFault."""
        now, known = monotonic(), self._known.get(owner)
        if known is not None and now - known.at < KEPT_S:
            return known.team
        before = None if known is None else known.team
        if now < self._rests_until:
            return before
        changes = self._changes
        try:
            team = await look_up()
        except RowDamaged as fault:  # nobody else's business
            self._remember(owner, before, for_s=REST_S)
            self._say(fault)
            return before
        except StoreFault as fault:
            self._rests_until = monotonic() + REST_S
            self._say(fault)
            return before
        if changes == self._changes:  # else it may be of before a change
            self._remember(owner, team)
        return team

    def changed(self, owner: Owner) -> None:
        """The next answer looks it up again."""
        self._changes += 1
        self._known.pop(owner, None)

    def _remember(self, owner: Owner, team: Team | None, for_s: float = KEPT_S) -> None:
        self._known[owner] = _Known(team, monotonic() - KEPT_S + for_s)
        self._known.move_to_end(owner)
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def _say(self, fault: StoreFault) -> None:
        now = monotonic()
        if now >= self._quiet_until:
            self._quiet_until = now + QUIET_S
            log.warning("answers go out without their team's cards: the store is %s", fault.key)
