"""The tables. Each that holds what is somebody's has `owner_columns`: all of it can be erased.

A table whose rows are not kept for good has `keep_days` in its `info`, and `kept_at`, in seconds
since 1970: `bot.store.sweeping` removes what is older.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Double,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    and_,
)

from bot.store.measurements import MEASUREMENTS_DAYS
from bot.store.owner import Owner

VERSION = 1  # of all tables together; a program refuses a newer one than its own

metadata = MetaData()


def owner_columns() -> Iterator[Column[Any]]:
    """Whose a row is."""
    yield Column("owner_kind", String(8), nullable=False)
    yield Column("owner_id", BigInteger, nullable=False)


schema = Table("vram_schema", metadata, Column("version", Integer, primary_key=True))

teams = Table(
    "vram_teams",
    metadata,
    *owner_columns(),
    Column("cards", JSON, nullable=False),  # [["rtx-3090", 2], …]
    PrimaryKeyConstraint("owner_kind", "owner_id"),
)

measurements = Table(
    "vram_measurements",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    *owner_columns(),
    Column("recorder_id", BigInteger, nullable=False),  # who may take it back
    Column("kept_at", BigInteger, nullable=False),
    Column("line", Text, nullable=False),
    Column("task", String(16), nullable=False),
    Column("statistic", String(16), nullable=False),
    Column("measured_bytes", BigInteger, nullable=False),
    Column("estimated_bytes", BigInteger, nullable=False),
    Column("low_bytes", BigInteger, nullable=False),
    Column("high_bytes", BigInteger, nullable=False),
    Column("version", String(32), nullable=False),
    Index("vram_measurements_of_owner", "owner_kind", "owner_id", "id"),
    info={"keep_days": MEASUREMENTS_DAYS},
)


identifies = Table(  # of shards, for all processes; nobody's
    "vram_identifies",
    metadata,
    Column("application_id", BigInteger),
    Column("bucket", Integer),
    Column("moment", Double, nullable=False),  # seconds since 1970
    PrimaryKeyConstraint("application_id", "bucket"),
)

sessions = Table(  # left by a process that was stopped; nobody's
    "vram_sessions",
    metadata,
    Column("application_id", BigInteger),
    Column("shard_count", Integer),
    Column("shard_id", Integer),
    Column("intents", BigInteger, nullable=False),
    Column("left_at", Double, nullable=False),  # seconds since 1970
    Column("session", JSON, nullable=False),
    PrimaryKeyConstraint("application_id", "shard_count", "shard_id"),
)


def of_owner(table: Table, owner: Owner) -> ColumnElement[bool]:
    """The rows that are the owner's."""
    return and_(table.c.owner_kind == owner.kind.value, table.c.owner_id == owner.id)


def put(connection: Connection, table: Table, owner: Owner, values: Mapping[str, object]) -> None:
    """The one row of an owner, in the place of what it was; two who write at once both can."""
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")  # the other is left
    row = {"owner_kind": owner.kind.value, "owner_id": owner.id}
    connection.execute(
        dialect.insert(table)
        .values(**row, **values)
        .on_conflict_do_update(index_elements=[*row], set_=dict(values))
    )
