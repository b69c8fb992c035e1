"""What the bot keeps, as those who answer see it: whose cards are which, and what is erased."""

from dataclasses import dataclass, field
from functools import partial

from bot.measuring.record import Record
from bot.store.database import WITHIN_S, Database
from bot.store.erasing import erase, guilds
from bot.store.measurements import forget_last, keep_measurement, measurements_of
from bot.store.owner import Owner
from bot.store.recent import RecentTeams
from bot.store.teams import keep_team, team_of
from bot.team import Team

SOON_S = 0.15  # of an answer's time, for the cards of its team


@dataclass(frozen=True, slots=True)
class Store:
    """Each but `team_soon` raises StoreFault where it could not be done."""

    database: Database
    recent: RecentTeams = field(default_factory=RecentTeams)

    async def team_of(self, owner: Owner, *, within_s: float = WITHIN_S) -> Team | None:
        """The cards that are kept; None where there are none."""
        look_up = partial(team_of, owner=owner)
        return await self.database.run(look_up, writes=False, within_s=within_s)

    async def team_soon(self, owner: Owner) -> Team | None:
        """The same for an answer, which does without them where that takes a while.

        As it does at first: loading what it takes would hold up the first answers.
        """
        if not self.database.begun:
            return None
        return await self.recent.of(owner, lambda: self.team_of(owner, within_s=SOON_S))

    async def keep_team(self, owner: Owner, team: Team | None) -> None:
        """Keep them in the place of others; None removes them."""
        try:
            await self.database.run(partial(keep_team, owner=owner, team=team))
        finally:
            self.recent.changed(owner)

    async def keep_measurement(
        self, owner: Owner, recorder_id: int, record: Record
    ) -> tuple[Record, ...]:
        """Keep a measured peak; all that are then kept of the owner, the newest first."""
        keep = partial(keep_measurement, owner=owner, recorder_id=recorder_id, record=record)
        return await self.database.run(keep)

    async def measurements_of(self, owner: Owner) -> tuple[Record, ...]:
        """All measured peaks of the owner, the newest first."""
        return await self.database.run(partial(measurements_of, owner=owner), writes=False)

    async def forget_last(self, owner: Owner, recorder_id: int) -> Record | None:
        """Remove the last one that this person recorded there."""
        return await self.database.run(partial(forget_last, owner=owner, recorder_id=recorder_id))

    async def forget(self, owner: Owner) -> int:
        """Erase all that is kept of the owner; how many rows that was."""
        try:
            return await self.database.run(partial(erase, owner=owner))
        finally:
            self.recent.changed(owner)

    async def guilds(self) -> frozenset[int]:
        """The servers that anything is kept of."""
        return await self.database.run(guilds, writes=False)
