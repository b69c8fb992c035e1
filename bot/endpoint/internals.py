"""What the endpoint uses of discord.py's inside, looked at as this module is loaded.

discord.py has no front door for an interaction that came over HTTP. What the gateway's events
go through is taken instead, so that both ways end in the same commands. A version that has it
otherwise is told at once, by its number, and not by commands that nobody answers.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import discord
from discord import app_commands

from bot.config import ConfigError

INTERACTION = "INTERACTION_CREATE"
OTHERWISE = (
    "discord.py {version} is not as `[endpoint]` needs it: {missing} is missing, or is called "
    "otherwise. Install what requirements.lock names (pip install --require-hashes -r "
    "requirements.lock), or write `enabled = false` under `[endpoint]`."
)


class InternalsError(ConfigError):
    """discord.py is not as this program needs it."""


def interaction_parser(client: discord.Client) -> Callable[[Any], object]:
    """What the gateway gives each interaction to; it answers in tasks of its own."""
    return client._connection.parsers[INTERACTION]  # noqa: SLF001  (looked at below)


def _missing() -> Iterator[str]:
    """What is not there, or not so, in the words of Python."""
    calls: tuple[tuple[str, object, str, int], ...] = (
        # where, of what, its name, and with how many arguments it is called
        ("Client", discord.Client, "login", 2),
        ("Client", discord.Client, "is_ready", 1),
        ("AutoShardedClient", discord.AutoShardedClient, "connect", 1),
        ("CommandTree", app_commands.CommandTree, "_from_interaction", 2),
        ("CommandTree", app_commands.CommandTree, "_call", 2),
    )
    for where, of, name, arguments in calls:
        if not _takes(getattr(of, name, None), arguments):
            yield f"`{where}.{name}`"
    if "verify_key" not in discord.AppInfo.__slots__:
        yield "`AppInfo.verify_key`"
    client = discord.AutoShardedClient(intents=discord.Intents.none())
    parsers = getattr(getattr(client, "_connection", None), "parsers", None)
    if not isinstance(parsers, dict):
        yield "`Client._connection.parsers`"
    elif not _takes(parsers.get(INTERACTION), 1):
        yield f"`Client._connection.parsers[{INTERACTION!r}]`"


def _takes(called: object, arguments: int) -> bool:
    """Whether something can be called with so many arguments, and by nothing but their places."""
    if not callable(called):
        return False
    try:
        inspect.signature(called).bind(*range(arguments))
    except (TypeError, ValueError):
        return False
    return True


def _look() -> None:
    missing = ", ".join(_missing())
    if missing:
        raise InternalsError([OTHERWISE.format(version=discord.__version__, missing=missing)])


_look()
