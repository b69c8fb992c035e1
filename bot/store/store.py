"""What the bot keeps, as those who answer see it: whose cards are which, and what is erased."""

from dataclasses import dataclass
from functools import partial

from bot.store.database import WITHIN_S, Database
from bot.store.erasing import erase
from bot.store.owner import Owner
from bot.store.teams import keep_team, team_of
from bot.team import Team


@dataclass(frozen=True, slots=True)
class Store:
    """Each raises StoreFault where it could not be done."""

    database: Database

    async def team_of(self, owner: Owner, *, within_s: float = WITHIN_S) -> Team | None:
        """The cards that are kept; None where there are none."""
        look_up = partial(team_of, owner=owner)
        return await self.database.run(look_up, writes=False, within_s=within_s)

    async def keep_team(self, owner: Owner, team: Team | None) -> None:
        """Keep them in the place of others; None removes them."""
        await self.database.run(partial(keep_team, owner=owner, team=team))

    async def forget(self, owner: Owner) -> int:
        """Erase all that is kept of the owner; how many rows that was."""
        return await self.database.run(partial(erase, owner=owner))
