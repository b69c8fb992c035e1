"""The cards that a team has, by the catalogue's ids."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TeamCard:
    """`count` cards of one kind."""

    id: str
    count: int


@dataclass(frozen=True, slots=True)
class Team:
    """Never without cards: a team without any is no team, and nothing is kept of it.

    `own`: they are one person's, kept in direct messages.
    """

    cards: tuple[TeamCard, ...]
    own: bool = False
