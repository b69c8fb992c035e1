"""Where things are kept, as one address: `sqlite:///file` or `postgresql://user@host/name`.

It may hold a password, so it is a secret, and no text made here repeats any of it. The first
place that names one is taken, and the others are not looked at:

1. the environment variable STORE_URL
2. the file that the environment variable STORE_URL_FILE names
3. the file that `[store] url_file` names
4. `[store] url`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from bot.compiled import compiled
from bot.ops.text_file import Unreadable, read_text
from bot.ops.token import plain

VARIABLE = "STORE_URL"
FILE_VARIABLE = "STORE_URL_FILE"
LONGEST = 4096  # characters
NO_FILE = (
    "names no file. Write sqlite:/// and a path: sqlite:///vram-bot.sqlite3 lies in the working "
    "folder, sqlite:////data/vram-bot.sqlite3 in /data"
)
NO_SERVER = (
    "is no whole address of PostgreSQL. Write postgresql://user:password@host:5432/name; in a "
    "password, write %23 for #, %2F for /, %3A for : and %40 for @"
)
NEITHER = (
    "is the address of no database that I can use. One begins with sqlite:/// and goes on with "
    "the path of a file, or begins with postgresql:// and goes on with a server"
)
SQLITE = compiled(r"sqlite:///(?P<path>[^?#]+)")


class Kind(StrEnum):
    """Which program keeps it."""

    SQLITE = "SQLite"
    POSTGRESQL = "PostgreSQL"


class AddressRefused(Exception):
    """What was found is no address; the text says where, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """`url`: as SQLAlchemy takes it; `file`: of SQLite; `secrets`: what no log may hold."""

    kind: Kind
    url: SecretStr
    file: Path | None = None
    secrets: tuple[SecretStr, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundAddress:
    """An address, and in words where it was found."""

    address: Address
    source: str


DEFAULT_FILE = Path("vram-bot.sqlite3")


def find_address(
    environment: Mapping[str, str], *, url: str, url_file: str, file: str
) -> FoundAddress | None:
    """The address that wins; `url` and `url_file` are what the settings `file` says."""
    if text := environment.get(VARIABLE, "").strip():
        source = f"the environment variable {VARIABLE}"
        return FoundAddress(read_address(text, VARIABLE), source)
    if path := environment.get(FILE_VARIABLE, "").strip():
        return _from_file(path, FILE_VARIABLE)
    if path := url_file.strip():
        return _from_file(path, f"{file}: `[store] url_file`")
    if text := url.strip():
        return FoundAddress(read_address(text, f"{file}: `[store] url`"), f"store.url in {file}")
    return None


def _from_file(path: str, where: str) -> FoundAddress:
    if "://" in path:
        raise AddressRefused(f"{where} holds an address. It takes the path of a file.")
    source = f"the file {plain(path)}"
    try:
        text = read_text(Path(path).expanduser(), LONGEST).strip()
        problem = "" if text else "is empty"
    except FileNotFoundError:
        text, problem = "", "does not exist"
    except Unreadable as error:
        text, problem = "", str(error)
    except RuntimeError:  # a ~ that nobody has
        text, problem = "", "cannot be read"
    if problem:
        raise AddressRefused(f"{where}: {source} {problem}. It has to hold the address alone.")
    return FoundAddress(read_address(text, f"{where}: {source}"), source)


def in_file(file: Path) -> Address:
    """An SQLite file."""
    return Address(Kind.SQLITE, SecretStr(f"sqlite:///{file}"), file)


def read_address(text: str, where: str) -> Address:
    """What `text` says, which was found `where`; raises AddressRefused where it is no address."""
    wrong = ""
    if len(text) > LONGEST or not text.isprintable() or " " in text:
        wrong = "is too long for an address, or has white space in it that none has"
    elif text.startswith("sqlite:"):
        found = SQLITE.fullmatch(text)
        if found and not found["path"].endswith("/") and ":memory:" not in found["path"]:
            return in_file(Path(found["path"]).expanduser())
        wrong = NO_FILE
    elif text.startswith(("postgresql://", "postgres://")):
        if (address := _postgresql(text)) is not None:
            return address
        wrong = NO_SERVER
    raise AddressRefused(f"{where}: this {wrong or NEITHER}.")


def _postgresql(text: str) -> Address | None:
    """The address of a server; None where it is not a whole one."""
    try:
        parts = urlsplit(text)
        whole = parts.port != 0 and parts.path.strip("/") and not parts.fragment
        password = parts.password or ""
    except ValueError:  # of a port that is no number, or of brackets
        return None
    if not whole:
        return None
    url = f"postgresql+psycopg{text[text.index(':') :]}"
    secrets = [text, url, *({password, unquote(password)} if password else ())]
    return Address(Kind.POSTGRESQL, SecretStr(url), None, tuple(map(SecretStr, secrets)))
