"""Whose something is that is kept: a server's, or a person's in direct messages."""

from dataclasses import dataclass
from enum import StrEnum


class OwnerKind(StrEnum):
    """What an owner is at Discord."""

    GUILD = "guild"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Owner:
    """`id`: Discord's number of the server or the person. All of an owner is erased at once."""

    kind: OwnerKind
    id: int
