"""Servers that the bot is in: of each its id and its language are known, and nothing else.

Discord tells of them only to who hears of servers at all, and then of their channels, roles and
threads too. That is left unread: it would be most of what this program holds.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

Parse = Callable[[Any], None]

OF_SERVERS = ("GUILD_", "CHANNEL_", "THREAD_", "STAGE_")
TOLD = ("GUILD_CREATE", "GUILD_UPDATE")
LEFT = "GUILD_DELETE"
KNOWN = ("id", "name", "preferred_locale", "unavailable")


def keep_little(parsers: MutableMapping[str, Parse]) -> None:
    """Let discord.py's parsers see no more of servers than is needed."""
    for event in [*parsers]:
        if event in TOLD:
            parsers[event] = _little(parsers[event])
        elif event.startswith(OF_SERVERS) and event != LEFT:
            del parsers[event]


def _little(parse: Parse) -> Parse:
    def parsed(data: Any) -> None:  # noqa: ANN401  (whatever was sent)
        parse({key: data[key] for key in KNOWN if key in data})

    return parsed
