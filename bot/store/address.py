"""Where things are kept, as one address: `sqlite:///file` or `postgresql://user@host/name`.

It may hold a password, so it is a secret, and no text made here repeats any of it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

LONGEST = 4096  # characters
SQLITE = re.compile(r"sqlite:///(?P<path>[^?#]+)")


class Kind(StrEnum):
    """Which program keeps it."""

    SQLITE = "SQLite"
    POSTGRESQL = "PostgreSQL"


class AddressRefused(ValueError):
    """The text completes a sentence that begins with the setting."""


@dataclass(frozen=True, slots=True)
class Address:
    """`url`: as SQLAlchemy takes it; `file`: of SQLite; `secrets`: what no log may hold."""

    kind: Kind
    url: SecretStr
    file: Path | None = None
    secrets: tuple[SecretStr, ...] = ()


DEFAULT_FILE = Path("vram-bot.sqlite3")


def in_file(file: Path) -> Address:
    """An SQLite file."""
    return Address(Kind.SQLITE, SecretStr(f"sqlite:///{file}"), file)


def read_address(text: str) -> Address:
    """What `text` says; raises AddressRefused where it is no such address."""
    if len(text) > LONGEST or not text.isprintable():
        raise AddressRefused("is too long for an address, or has characters that none has")
    if text.startswith("sqlite:"):
        return _sqlite(text)
    if text.startswith(("postgresql://", "postgres://")):
        return _postgresql(text)
    raise AddressRefused(
        "is the address of no database that I can use. One begins with sqlite:/// and goes on "
        "with the path of a file, or begins with postgresql:// and goes on with a server"
    )


def _sqlite(text: str) -> Address:
    found = SQLITE.fullmatch(text)
    if found is None or found["path"].endswith("/") or ":memory:" in found["path"]:
        raise AddressRefused(
            "names no file. Write sqlite:/// and a path: sqlite:///vram-bot.sqlite3 lies in the "
            "working folder, sqlite:////data/vram-bot.sqlite3 in /data"
        )
    return in_file(Path(found["path"]).expanduser())


def _postgresql(text: str) -> Address:
    try:
        parts = urlsplit(text)
        whole = parts.port != 0 and parts.path.strip("/") and not parts.fragment
        password = parts.password or ""
    except ValueError:  # of a port that is no number, or of brackets
        whole, password = False, ""
    if not whole:
        raise AddressRefused(
            "is no whole address of PostgreSQL. Write postgresql://user:password@host:5432/name; "
            "in a password, write %23 for #, %2F for /, %3A for : and %40 for @"
        )
    url = f"postgresql+psycopg{text[text.index(':') :]}"
    secrets = [text, url, *({password, unquote(password)} if password else ())]
    return Address(Kind.POSTGRESQL, SecretStr(url), None, tuple(map(SecretStr, secrets)))
