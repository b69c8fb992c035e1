"""What the Hub said, kept in an SQLite file, so that a start does not forget it.

The file is a convenience: where it is corrupt, locked, full or not to be written, that is
logged once, and memory alone is used from then on. What is read from it is checked like
anything from outside. All of it happens in one thread of its own, off the event loop.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.hub.keeping import Kept
from bot.hub.repository import Outcome
from estimator import KIB

log = logging.getLogger(__name__)

VERSION = 1  # of the table and of what stands in it; another version's rows are dropped
MOST_ROWS = 2_000
LARGEST_ROW = 256 * KIB  # characters
PATIENCE_S = 0.5  # for who else has the file locked
TABLE = """
CREATE TABLE IF NOT EXISTS said (
  key TEXT PRIMARY KEY, until REAL NOT NULL, used REAL NOT NULL, outcome TEXT NOT NULL
)"""
OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)
FAULTS = (sqlite3.Error, OSError, ValueError, OverflowError)

T = TypeVar("T")


class FileCache:
    """Rows in `path`. Nothing here raises for what a file can be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hub-cache")
        self._open: sqlite3.Connection | None = None
        self._given_up = False

    async def get(self, key: str, now: float) -> Kept | None:
        """What is kept of `key`, and until when."""
        return await self._do(lambda: self._get(key, now))

    async def put(self, key: str, outcome: Outcome, until: float, now: float) -> None:
        """Keep it, and let go of the rows that were used longest ago."""
        await self._do(lambda: self._put(key, outcome, until, now))

    async def close(self) -> None:
        """Close the file."""
        await self._do(self._close)
        self._thread.shutdown(wait=False)

    async def _do(self, work: Callable[[], T]) -> T | None:
        if self._given_up:
            return None
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._safely, work)

    def _safely(self, work: Callable[[], T]) -> T | None:
        try:
            return None if self._given_up else work()
        except FAULTS as error:
            self._given_up = True
            log.warning("the cache file cannot be used (%s): memory alone is", type(error).__name__)
            return None

    def _get(self, key: str, now: float) -> Kept | None:
        found = self._connection().execute(
            "SELECT outcome, until FROM said WHERE key = ? AND until > ? AND length(outcome) <= ?",
            (key, now, LARGEST_ROW),
        )
        row = found.fetchone()
        if row is None:
            return None
        try:
            outcome = OUTCOME.validate_json(row[0])
        except ValidationError:  # of another program, or by another hand
            self._connection().execute("DELETE FROM said WHERE key = ?", (key,))
            return None
        self._connection().execute("UPDATE said SET used = ? WHERE key = ?", (now, key))
        return outcome, float(row[1])

    def _put(self, key: str, outcome: Outcome, until: float, now: float) -> None:
        text = outcome.model_dump_json()
        if len(text) > LARGEST_ROW:
            return
        connection = self._connection()
        connection.execute(
            "INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?)", (key, until, now, text)
        )
        connection.execute("DELETE FROM said WHERE until <= ?", (now,))
        connection.execute(
            "DELETE FROM said WHERE key IN "
            "(SELECT key FROM said ORDER BY used DESC, key LIMIT -1 OFFSET ?)",
            (MOST_ROWS,),
        )

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = sqlite3.connect(self._path, timeout=PATIENCE_S, isolation_level=None)
            (version,) = self._open.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                self._open.execute("DROP TABLE IF EXISTS said")
                self._open.execute(f"PRAGMA user_version = {VERSION}")
            self._open.execute(TABLE)
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
