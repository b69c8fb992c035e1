"""Servers that the bot is in: of each its id and its language are known, and nothing else.

Discord tells of them only to who hears of servers at all, and then of their channels, roles and
threads too. That is left unread: it would be most of what this program holds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from discord import Guild
from discord.state import ConnectionState

from bot.ops.sharding import shard_of

Parse = Callable[[Any], None]
State = ConnectionState[Any]
Known = tuple[int, str]  # a server's id, and its language

OF_SERVERS = ("GUILD_", "CHANNEL_", "THREAD_", "STAGE_")
TOLD = ("GUILD_CREATE", "GUILD_UPDATE")
LEFT = "GUILD_DELETE"
READY = "READY"
KNOWN = ("id", "name", "preferred_locale", "unavailable")


def keep_little(state: State) -> None:
    """Let discord.py's parsers see no more of servers than is needed."""
    parsers = state.parsers
    parsers[READY] = _all_there_are(parsers[READY], state)
    for event in [*parsers]:
        if event in TOLD:
            parsers[event] = _little(parsers[event])
        elif event.startswith(OF_SERVERS) and event != LEFT:
            del parsers[event]


def servers_of(guilds: Iterable[Guild], count: int) -> dict[int, tuple[Known, ...]]:
    """What is known of servers, by which of `count` shards hears of them."""
    found: dict[int, list[Known]] = defaultdict(list)
    for guild in guilds:
        found[shard_of(guild.id, count)].append((guild.id, guild.preferred_locale.value))
    return {shard_id: tuple(known) for shard_id, known in found.items()}


def known_again(state: State, servers: Iterable[Known]) -> None:
    """Know servers that Discord told another process of."""
    for id_, language in servers:
        state._add_guild_from_data({"id": id_, "preferred_locale": language})  # type: ignore[typeddict-item]  # noqa: SLF001


def _little(parse: Parse) -> Parse:
    def parsed(data: Any) -> None:  # noqa: ANN401  (whatever was sent)
        parse({key: data[key] for key in KNOWN if key in data})

    return parsed


def _all_there_are(parse: Parse, state: State) -> Parse:
    """READY names all servers of a shard, so the bot is in no others of it any more."""

    def parsed(data: Any) -> None:  # noqa: ANN401  (whatever was sent)
        shard_id, count = data["shard"]
        there = {int(one["id"]) for one in data["guilds"]}
        for guild in state.guilds:
            if guild.id not in there and shard_of(guild.id, count) == shard_id:
                state._remove_guild(guild)  # noqa: SLF001
        parse(data)

    return parsed
