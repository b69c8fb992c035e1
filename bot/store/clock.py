"""What time it is for all processes that share a database: PostgreSQL's own clock.

SQLite has none but the machine's, which all who use one file share.
"""

from time import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection


def now_of(connection: "Connection") -> float:
    """Seconds since 1970."""
    from sqlalchemy import text  # noqa: PLC0415  (takes a while to load)

    if connection.dialect.name != "postgresql":
        return time()
    return float(
        connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
    )
