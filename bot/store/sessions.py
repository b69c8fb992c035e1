"""Sessions with Discord that a process left when it was stopped, for the one in its place.

Each is taken once, by who asks first, and soon or never: whoever goes on with it is told all that
happened meanwhile, and of that people wait for the last seconds alone.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter

from bot.store.clock import now_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

LIFE_S = 60.0  # Discord keeps one for some minutes
LONGEST = 200  # characters of an id, and of an address

Id = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
Words = Annotated[str, Field(max_length=LONGEST)]
Language = Annotated[str, Field(max_length=10)]


@dataclass(frozen=True, slots=True)
class Whose:
    """An application's, one of so many shards; with other intents other events are heard."""

    application_id: int
    shard_count: int
    intents: int


@dataclass(frozen=True, slots=True)
class Left:
    """What goes on with a session behind event `seq`, and is a secret beside the token.

    `guilds`: the servers that it heard of and their languages, which Discord tells only once.
    """

    shard_id: Id
    id: Words = field(repr=False)
    seq: Id
    url: Words = field(repr=False)
    guilds: tuple[tuple[Id, Language], ...] = field(default=(), repr=False)


LEFT = TypeAdapter(Left)


def leave_sessions(connection: "Connection", whose: Whose, left: Sequence[Left]) -> None:
    """Keep them in the place of those that the same shards left before."""
    from importlib import import_module  # noqa: PLC0415  (as what follows)

    from bot.store.tables import sessions  # noqa: PLC0415  (loads SQLAlchemy)

    now = now_of(connection)
    _forget_old(connection, now)
    insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(sessions)
    key = ("application_id", "shard_count", "shard_id")
    changes = {name: insert.excluded[name] for name in ("intents", "left_at", "session")}
    rows = [
        {**asdict(whose), "shard_id": one.shard_id, "left_at": now, "session": asdict(one)}
        for one in left
    ]
    connection.execute(insert.on_conflict_do_update(index_elements=key, set_=changes), rows)


def take_sessions(
    connection: "Connection", whose: Whose, shard_ids: Collection[int]
) -> dict[int, Left]:
    """Those of these shards that can still be gone on with, by shard; nobody else gets them."""
    from bot.store.tables import sessions  # noqa: PLC0415  (loads SQLAlchemy)

    _forget_old(connection, now_of(connection))
    columns = sessions.c
    taken = connection.execute(
        sessions.delete()
        .where(
            columns.application_id == whose.application_id,
            columns.shard_count == whose.shard_count,
            columns.shard_id.in_(shard_ids),
        )
        .returning(columns.shard_id, columns.intents, columns.session)
    )
    return {
        row.shard_id: left
        for row in taken
        if row.intents == whose.intents and (left := _read(row.session)) is not None
    }


def _read(said: object) -> Left | None:
    """One row; None where another hand wrote what is none: a session is begun anew then."""
    try:
        return LEFT.validate_python(said)
    except ValueError:
        return None


def _forget_old(connection: "Connection", now: float) -> None:
    """Of any application; what is of a time to come was written by another clock."""
    from bot.store.tables import sessions  # noqa: PLC0415  (loads SQLAlchemy)

    at = sessions.c.left_at
    connection.execute(sessions.delete().where((at < now - LIFE_S) | (at > now + LIFE_S)))
