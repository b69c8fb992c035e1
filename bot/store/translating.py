"""What a database's driver says is wrong → a fault. Loaded with SQLAlchemy."""

import sqlite3
import sys
from typing import TYPE_CHECKING

from sqlalchemy import exc

from bot.store.faults import (
    StoreDamaged,
    StoreFault,
    StoreFull,
    StoreGone,
    StoreLocked,
    StoreSlow,
)

if TYPE_CHECKING:
    import psycopg

BASE_CODE = 0xFF  # of SQLite's codes, the part that says what kind it is
OF_SQLITE: dict[int, type[StoreFault]] = {
    sqlite3.SQLITE_BUSY: StoreLocked,
    sqlite3.SQLITE_LOCKED: StoreLocked,
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
    sqlite3.SQLITE_CANTOPEN: StoreGone,
    sqlite3.SQLITE_READONLY: StoreGone,
    sqlite3.SQLITE_PERM: StoreGone,
    sqlite3.SQLITE_IOERR: StoreGone,
    sqlite3.SQLITE_INTERRUPT: StoreSlow,
}
OF_POSTGRESQL: dict[str, type[StoreFault]] = {  # by SQLSTATE, or the two letters of its class
    "57014": StoreSlow,  # a statement's time was up
    "55P03": StoreLocked,  # a lock's was
    "40": StoreLocked,  # others' transactions came between
    "53100": StoreFull,
    "53": StoreGone,  # too many connections, out of memory
    "08": StoreGone,  # the connection
    "57": StoreGone,  # shut down, or not yet up
    "28": StoreGone,  # does not let us in
    "3D": StoreGone,  # has no such database
    "25": StoreGone,  # takes no changes
    "42501": StoreGone,  # nor from us
    "XX": StoreDamaged,
}


def fault_of(error: Exception) -> tuple[StoreFault, str] | None:
    """The fault, and the code that the log may hold; None where the program itself is wrong."""
    if isinstance(error, StoreFault):
        return error, type(error).__name__
    if isinstance(error, exc.TimeoutError):  # every connection is busy
        return StoreSlow(), "no connection is free"
    cause = error.orig if isinstance(error, exc.DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        name = getattr(cause, "sqlite_errorname", type(cause).__name__)
        fault = OF_SQLITE.get(code & BASE_CODE)
        return None if fault is None else (fault(), name)
    driver = sys.modules.get("psycopg")  # loaded by who has PostgreSQL; others do without it
    if driver is not None and isinstance(cause, driver.Error):
        return _of_postgresql(cause, broken=isinstance(cause, driver.OperationalError))
    return (StoreGone(), type(error).__name__) if isinstance(cause, OSError) else None


def _of_postgresql(cause: "psycopg.Error", *, broken: bool) -> tuple[StoreFault, str] | None:
    state = cause.sqlstate
    if state is None:  # it was never heard, or is heard no more
        return (StoreGone(), "no connection") if broken else None
    fault = OF_POSTGRESQL.get(state) or OF_POSTGRESQL.get(state[:2])
    return None if fault is None else (fault(), state)
