"""A store that is opened, however long that takes where much else is going on."""

import bot.store.translating  # noqa: F401  (SQLAlchemy: what is opened later loads it no more)
from bot.store.store import Store

PATIENCE_S = 60.0


async def opened(store: Store) -> Store:
    """The store, after a first transaction, which loads what the others need."""
    await store.database.run(lambda _: None, writes=False, within_s=PATIENCE_S)
    return store
