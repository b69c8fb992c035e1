"""The store that the settings name. Nothing is opened before it is used."""

from pathlib import Path

from bot.config import Settings
from bot.store.address import DEFAULT_FILE, Address, in_file
from bot.store.database import Database
from bot.store.store import Store


def address_of(settings: Settings) -> Address:
    """Where it is: what was named, or the file of the working folder."""
    found = settings.store_address
    return in_file(DEFAULT_FILE) if found is None else found.address


def store_in(folder: Path) -> Store:
    """A store whose file lies in a folder."""
    return Store(Database(in_file(folder / DEFAULT_FILE)))


def store_of(settings: Settings) -> Store | None:
    """The store; None where nothing is to be kept."""
    return Store(Database(address_of(settings))) if settings.store.enabled else None
