"""Teams are remembered for a moment: fewer look-ups, and never an answer that waits."""

import pytest

from bot.store import recent
from bot.store.faults import RowDamaged, StoreGone
from bot.store.owner import Owner
from bot.store.recent import RecentTeams
from bot.team import Team
from tests.store.owners import GUILD, OTHER, SAME_NUMBER, cards


class Clock:
    """Time that a test lets pass."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Shelf:
    """What look-ups find, and how many there were; nothing while it is `gone`."""

    def __init__(self) -> None:
        self.teams: dict[Owner, Team] = {}
        self.asked = 0
        self.gone = False
        self.damaged: set[Owner] = set()

    async def find(self, teams: RecentTeams, owner: Owner) -> Team | None:
        async def look_up() -> Team | None:
            self.asked += 1
            if self.gone:
                raise StoreGone
            if owner in self.damaged:
                raise RowDamaged
            return self.teams.get(owner)

        return await teams.of(owner, look_up)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time that remembering goes by."""
    made = Clock()
    monkeypatch.setattr(recent, "monotonic", made)
    return made


async def test_a_team_is_looked_up_once_in_a_while(clock: Clock) -> None:
    teams, shelf = RecentTeams(), Shelf()
    shelf.teams[GUILD] = cards(1)
    assert [await shelf.find(teams, GUILD) for _ in range(3)] == [cards(1)] * 3
    assert await shelf.find(teams, OTHER) is None
    assert await shelf.find(teams, OTHER) is None
    assert shelf.asked == 2
    shelf.teams[GUILD] = cards(2)
    clock.now += recent.KEPT_S
    assert await shelf.find(teams, GUILD) == cards(2)


async def test_a_change_is_seen_at_once(clock: Clock) -> None:
    del clock
    teams, shelf = RecentTeams(), Shelf()
    await shelf.find(teams, GUILD)
    shelf.teams[GUILD] = cards(1)
    teams.changed(GUILD)
    assert await shelf.find(teams, GUILD) == cards(1)


async def test_a_look_up_from_before_a_change_is_not_remembered(clock: Clock) -> None:
    del clock
    teams, shelf = RecentTeams(), Shelf()

    async def slowly() -> Team | None:
        teams.changed(GUILD)  # while it is on its way
        return cards(1)

    assert await teams.of(GUILD, slowly) == cards(1)
    shelf.teams[GUILD] = cards(2)
    assert await shelf.find(teams, GUILD) == cards(2)


async def test_what_was_known_holds_while_the_store_is_gone(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    teams, shelf = RecentTeams(), Shelf()
    shelf.teams |= {GUILD: cards(1), OTHER: cards(2)}
    await shelf.find(teams, GUILD)
    shelf.gone = True
    clock.now += recent.KEPT_S
    assert await shelf.find(teams, GUILD) == cards(1)
    assert await shelf.find(teams, OTHER) is None
    assert shelf.asked == 2  # the second waits for no answer
    clock.now += recent.REST_S
    await shelf.find(teams, OTHER)
    assert shelf.asked == 3
    assert caplog.text.count("without their team's cards: the store is gone") == 1
    clock.now += recent.QUIET_S
    await shelf.find(teams, OTHER)
    assert caplog.text.count("without their team's cards") == 2
    shelf.gone = False
    clock.now += recent.REST_S
    assert await shelf.find(teams, OTHER) == cards(2)


async def test_a_damaged_row_is_no_other_owners_business(clock: Clock) -> None:
    teams, shelf = RecentTeams(), Shelf()
    shelf.teams |= {GUILD: cards(1), OTHER: cards(2)}
    shelf.damaged = {GUILD}
    assert [await shelf.find(teams, GUILD) for _ in range(3)] == [None] * 3
    assert await shelf.find(teams, OTHER) == cards(2)
    assert shelf.asked == 2  # who has a damaged one rests
    shelf.damaged = set()
    clock.now += recent.REST_S
    assert await shelf.find(teams, GUILD) == cards(1)


async def test_so_many_are_remembered_and_no_more(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clock
    monkeypatch.setattr(recent, "MOST", 2)
    teams, shelf = RecentTeams(), Shelf()
    for owner in (GUILD, OTHER, SAME_NUMBER, OTHER, SAME_NUMBER):
        await shelf.find(teams, owner)
    assert shelf.asked == 3
    await shelf.find(teams, GUILD)
    assert shelf.asked == 4
