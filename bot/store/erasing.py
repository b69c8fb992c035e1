"""All that is kept of one owner, erased at once."""

from typing import TYPE_CHECKING

from bot.store.owner import Owner

if TYPE_CHECKING:
    from sqlalchemy import Connection


def erase(connection: "Connection", owner: Owner) -> int:
    """Remove every row of every table that is the owner's; how many there were."""
    from bot.store.tables import metadata, of_owner  # noqa: PLC0415  (loads SQLAlchemy)

    return sum(
        connection.execute(table.delete().where(of_owner(table, owner))).rowcount
        for table in metadata.tables.values()
        if "owner_id" in table.c
    )
