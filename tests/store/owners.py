"""Owners and teams that tests keep things of."""

from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard

GUILD = Owner(OwnerKind.GUILD, 2**62)
SAME_NUMBER = Owner(OwnerKind.USER, GUILD.id)
OTHER = Owner(OwnerKind.GUILD, 7)
PATIENT_S = 60.0  # for a machine that is busy with other tests


def cards(*counts: int, own: bool = False) -> Team:
    """A team of so many cards of each kind."""
    return Team(tuple(TeamCard(f"card-{n}", count) for n, count in enumerate(counts)), own)
