"""What of this machine keeps settings from being used: folders and ports, looked at.

Nothing is written, nothing stays open, and nobody is called. What is found keeps no bot from
starting by itself (a port may be taken by the bot that runs already), so it is said and no more.
"""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

from bot.config import Settings
from bot.ops.token import plain
from bot.store.address import DEFAULT_FILE


def trouble_around(settings: Settings) -> tuple[str, ...]:
    """A sentence for each thing that is in the way here and now."""
    return (*_folders(settings), *_ports(settings))


def _folders(settings: Settings) -> Iterator[str]:
    found = settings.store_address
    store = DEFAULT_FILE if found is None else found.address.file
    files = [
        ("[store]", "nothing is kept", store if settings.store.enabled else None),
        ("[hub] cache_file", "what the Hub says is forgotten", settings.hub.cache_file),
        ("[limits] identifies_file", "a restart forgets the pace", settings.limits.identifies_file),
    ]
    for name, then, file in files:
        if file is not None and (wrong := _wrong_with(Path(file))):
            yield f"{name}: {wrong}, so {then}."


def _wrong_with(file: Path) -> str:
    folder, shown = file.resolve().parent, plain(str(file))
    if not folder.is_dir():
        return f"the folder of {shown} does not exist"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"this user may not write into the folder of {shown}"
    if file.exists() and not (file.is_file() and os.access(file, os.R_OK | os.W_OK)):
        return f"this user may not read and write {shown}"
    return ""


def _ports(settings: Settings) -> Iterator[str]:
    for name, section in (("health", settings.health), ("endpoint", settings.endpoint)):
        if section.enabled and (why := _why_not(section.host, section.port)):
            yield f"[{name}] port {section.port} of {plain(section.host)}: {why}"


def _why_not(host: str, port: int) -> str:
    """Why nothing can listen there now; empty where something can."""
    try:
        where, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.create_server(where[4][:2], family=where[0]):
            return ""
    except PermissionError:
        return "not for this user."
    except OSError as error:
        if "in use" in str(error):
            return "in use now, by this bot if it runs; if not, the bot ends with 78."
        return "not on this machine; the bot ends with 78."
