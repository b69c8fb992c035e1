"""When which shard may begin a session, kept for all processes that share a database.

A turn is a moment that is written down, and not a lock that is held: who is killed while it waits
for its own costs the others one gap and no more. The clock is the database's; SQLite's is the
machine's, which all who use one file share.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.store.clock import now_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

HOUR = -1  # in the place of a bucket: all of an application's, by the hour
OURS = 0x5652414E  # of PostgreSQL's advisory locks, the one under which turns are taken


class Rules(Protocol):
    """How near they may be, and how many; see `bot.pace`."""

    @property
    def gap_s(self) -> float: ...
    @property
    def share_s(self) -> float: ...
    @property
    def burst(self) -> int: ...
    def wait_s(self, now: float, last: float, paid: float) -> float: ...
    def after(self, moment: float, paid: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn in a bucket of an application's shards, at most `patience_s` from now."""

    application_id: int
    bucket: int
    patience_s: float


def take_turn(connection: "Connection", asked: Asked, rules: Rules) -> float:
    """Seconds until the turn; it is taken, unless that is longer than `patience_s`."""
    from sqlalchemy import select, text  # noqa: PLC0415  (takes a while to load)

    from bot.store.tables import identifies  # noqa: PLC0415  (likewise)

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({OURS})"))
    now = now_of(connection)
    of_application = identifies.c.application_id == asked.application_id
    kept = connection.execute(
        select(identifies.c.bucket, identifies.c.moment).where(of_application)
    )
    moments: dict[int, float] = {row.bucket: row.moment for row in kept}
    # What lies further ahead than anybody could have written was written by another clock.
    last = min(moments.get(asked.bucket, 0.0), now + asked.patience_s)
    paid = min(moments.get(HOUR, 0.0), now + rules.burst * rules.share_s)
    wait_s = rules.wait_s(now, last, paid)
    if wait_s <= asked.patience_s:
        turn = now + wait_s
        for bucket, moment in ((asked.bucket, turn), (HOUR, rules.after(turn, paid))):
            _keep(connection, asked.application_id, bucket, moment)
    return wait_s


def _keep(connection: "Connection", application_id: int, bucket: int, moment: float) -> None:
    from sqlalchemy.dialects import postgresql, sqlite  # noqa: PLC0415  (takes a while to load)

    from bot.store.tables import identifies  # noqa: PLC0415  (likewise)

    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    key = {"application_id": application_id, "bucket": bucket}
    connection.execute(
        insert(identifies)
        .values(**key, moment=moment)
        .on_conflict_do_update(index_elements=[*key], set_={"moment": moment})
    )
