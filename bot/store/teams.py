"""The cards of a team, kept until they are removed."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter

from bot.store.faults import RowDamaged
from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST = 65_536  # of one kind: far more than anybody keeps

# A name that stands in an answer, also where no such card is known any longer.
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._+-]{0,63}$")]
Count = Annotated[int, Field(ge=1, le=MOST)]
CARDS: TypeAdapter[list[tuple[Name, Count]]] = TypeAdapter(list[tuple[Name, Count]])


def team_of(connection: "Connection", owner: Owner) -> Team | None:
    """The owner's cards; None where none are kept."""
    from sqlalchemy import select  # noqa: PLC0415  (takes a while to load)

    from bot.store.tables import of_owner, teams  # noqa: PLC0415  (likewise)

    asked = select(teams.c.cards).where(of_owner(teams, owner))
    try:
        kept = connection.execute(asked).scalar()  # SQLite's is a text, which may be no JSON
        cards = [] if kept is None else CARDS.validate_python(kept)
    except ValueError:  # by another hand
        raise RowDamaged from None
    own = owner.kind is OwnerKind.USER
    return Team(tuple(TeamCard(id_, count) for id_, count in cards), own) if cards else None


def keep_team(connection: "Connection", owner: Owner, team: Team | None) -> None:
    """Put the cards in the place of those that were kept; None removes them."""
    from bot.store.tables import of_owner, put, teams  # noqa: PLC0415  (loads SQLAlchemy)

    if team is None:
        connection.execute(teams.delete().where(of_owner(teams, owner)))
        return
    cards = [[card.id, card.count] for card in team.cards]
    put(connection, teams, owner, {"cards": cards})
