"""An address → an engine whose tables are there. SQLAlchemy is loaded with this file."""

import sqlite3
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, select, text

from bot.store.address import Address, Kind
from bot.store.faults import StoreNewer
from bot.store.tables import VERSION, metadata, schema
from bot.store.translating import BASE_CODE

LOCKED_S = 1.8  # for who else is writing; less than who asks is made to wait
AGAIN_S = 0.01  # between two tries at what SQLite does not wait for
ANSWER_S = 2  # for PostgreSQL to take a connection, and for each statement
SILENT_MS = 3_000  # after which a server that answers nothing is gone
CONNECTIONS = 4  # to PostgreSQL, at most
WRITES = "writes"  # an execution option: the transaction may change something
OURS = 0x5652414D  # of PostgreSQL's advisory locks, the one under which tables are made


def open_engine(address: Address) -> Engine:
    """An engine to what is there; nothing is connected to yet."""
    url = address.url.get_secret_value()
    if address.kind is Kind.SQLITE:
        engine = create_engine(
            url, hide_parameters=True, pool_size=1, connect_args={"timeout": LOCKED_S}
        )
        event.listen(engine, "connect", _safe_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=ANSWER_S,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": ANSWER_S,
            "tcp_user_timeout": SILENT_MS,
            "prepare_threshold": None,  # a pooler before the server may give each its own
        },
    )
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def prepare(connection: Connection) -> None:
    """Make the tables that are missing; raises StoreNewer where they are of a newer program."""
    if connection.dialect.name == "postgresql":  # two programs may start at once
        connection.execute(text(f"SELECT pg_advisory_xact_lock({OURS})"))
    metadata.create_all(connection)
    versions = connection.execute(select(schema.c.version)).scalars().all()
    if not versions:
        connection.execute(schema.insert().values(version=VERSION))
    elif max(versions) > VERSION:
        raise StoreNewer


def _safe_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401  (of any driver)
    """What is told as kept is on the disk; and transactions begin where we say, not sqlite3."""
    connection.isolation_level = None
    try:
        _log_ahead(connection)
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}").close()
    except Exception:
        connection.close()
        raise


def _log_ahead(connection: Any) -> None:  # noqa: ANN401  (likewise)
    """Switch a new file to a write-ahead log, also where others do so at the same moment.

    SQLite does not wait for them by itself: each holds what the other waits for.
    """
    until = monotonic() + LOCKED_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & BASE_CODE == sqlite3.SQLITE_BUSY
            if not busy or monotonic() >= until:
                raise
            sleep(AGAIN_S)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    for limit, seconds in (("statement_timeout", ANSWER_S), ("lock_timeout", LOCKED_S)):
        connection.exec_driver_sql(f"SET LOCAL {limit} = '{seconds}s'")
