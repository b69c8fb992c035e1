"""All that is kept of one owner, erased at once; and which owners there are."""

from typing import TYPE_CHECKING

from bot.store.owner import Owner, OwnerKind

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


def guilds(connection: "Connection") -> frozenset[int]:
    """The servers that anything is kept of."""
    from sqlalchemy import select  # noqa: PLC0415  (takes a while to load)

    from bot.store.tables import metadata  # noqa: PLC0415  (likewise)

    found: set[int] = set()
    for table in metadata.tables.values():
        if "owner_id" in table.c:
            of_guilds = table.c.owner_kind == OwnerKind.GUILD.value
            found |= set(connection.execute(select(table.c.owner_id).where(of_guilds)).scalars())
    return frozenset(found)
