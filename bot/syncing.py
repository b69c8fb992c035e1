"""Commands as this program has them, and as Discord does: sent only where they differ."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from discord import app_commands
from discord.http import Route

from bot.locale import listed_in
from bot.localised import names_in_english

log = logging.getLogger(__name__)

# What only Discord adds to a command.
FROM_DISCORD = ("id", "application_id", "version", "guild_id")
# Discord's defaults: a key that has one of them may be left out by either side.
DEFAULTS: Mapping[str, Sequence[Any]] = {
    "type": (1,),
    "dm_permission": (True, False, None),  # `contexts` says it now
    "contexts": ([0, 1, 2],),
    "integration_types": ([0],),
}
SYNC_S = 10  # one try, at most
AGAIN_S, LONGEST_S = 5.0, 3600.0  # after one that failed; then twice that, and again
LOOK_S = 0.1  # between two looks at whether Discord is there

Registered = Sequence[Mapping[str, Any]]
Key = tuple[int, str]  # a command's type and name


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync found: the names that Discord did not have, had otherwise, or had beside."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def __str__(self) -> str:
        parts = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("added", self.added),
                ("changed", self.changed),
                ("removed", self.removed),
            )
            if names
        ]
        return "; ".join(parts) or "nothing to change"


class Syncing:
    """Makes Discord's commands those of a tree, however often that has to be tried."""

    def __init__(self, tree: app_commands.CommandTree[Any], ready: Callable[[], bool]) -> None:
        """`ready`: whether Discord is connected."""
        self._tree = tree
        self._ready = ready
        self._going_on: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Where Discord has commands of ours, people use them meanwhile: compared once ready."""
        theirs: Registered | None = None
        with suppress(Exception):  # it is asked again
            async with asyncio.timeout(SYNC_S):
                theirs = await registered(self._tree)
        if theirs or not await self._tried(theirs, AGAIN_S):
            self._going_on = asyncio.create_task(self._go_on(theirs))

    def close(self) -> None:
        """Leave it to the next start."""
        if self._going_on is not None:
            self._going_on.cancel()

    async def _go_on(self, theirs: Registered | None) -> None:
        wait_s = AGAIN_S
        while theirs and not self._ready():  # noqa: ASYNC110  (there is no event for all clients)
            await asyncio.sleep(LOOK_S)
        if theirs and await self._tried(theirs, wait_s):
            return
        while True:
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_S)
            if await self._tried(None, wait_s):
                return

    async def _tried(self, theirs: Registered | None, wait_s: float) -> bool:
        """Whether it is done; if not, that is no reason to keep anybody from being answered."""
        try:
            async with asyncio.timeout(SYNC_S):
                await sync(self._tree, theirs)
        except Exception as error:  # noqa: BLE001  (whatever it was)
            log.warning(
                "the commands could not be synced (%s), again in %.0f s; Discord's go on",
                type(error).__name__,
                wait_s,
            )
            return False
        return True


async def registered(tree: app_commands.CommandTree[Any]) -> Registered:
    """The commands that Discord has; raises discord.HTTPException where it does not say."""
    client = tree.client
    route = Route(
        "GET", "/applications/{application_id}/commands", application_id=client.application_id
    )
    found: Registered = await client.http.request(route, params={"with_localizations": "true"})
    return found


async def sync(tree: app_commands.CommandTree[Any], theirs: Registered | None = None) -> Synced:
    """Make Discord's commands those of `tree`; raises discord.HTTPException where it fails.

    `theirs`: those that Discord has, where that is known.
    """
    if theirs is None:
        theirs = await registered(tree)
    await asyncio.to_thread(names_in_english)  # all languages are read for it, and then known
    translator = tree.translator
    ours = [
        command.to_dict(tree)
        if translator is None
        else await command.get_translated_payload(tree, translator)
        for command in tree.get_commands()
    ]
    found = compare(ours, theirs)
    if found:
        await tree.sync()
    log.info("commands: %s", found)
    listed_in.cache_clear()  # nobody else needs all that Discord lists
    return found


def compare(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> Synced:
    """How the commands that Discord has differ from ours."""
    own = {_key(command): _plain(command) for command in ours}
    other = {_key(command): _plain(command) for command in theirs}
    return Synced(
        added=_names(own.keys() - other.keys()),
        changed=_names(key for key in own.keys() & other.keys() if own[key] != other[key]),
        removed=_names(other.keys() - own.keys()),
    )


def _names(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(sorted(name for _, name in keys))


def _key(command: Mapping[str, Any]) -> Key:
    return command.get("type", 1), command["name"]


def _plain(value: object, *, top: bool = True) -> object:
    """A command without what Discord adds and without defaults, lists of numbers sorted."""
    if isinstance(value, Mapping):
        return {
            key: _plain(part, top=False)
            for key, part in value.items()
            if not _says_nothing(part)
            and not (top and key in FROM_DISCORD)
            and not (top and _sorted(part) in DEFAULTS.get(key, ()))
        }
    if isinstance(value, list):
        return _sorted([_plain(part, top=False) for part in value])
    return value


def _says_nothing(part: object) -> bool:
    """Whether a key with this value may as well be left out; 0 is a number like others."""
    return part is None or part is False or (isinstance(part, str | list | dict) and not part)


def _sorted(value: object) -> object:
    """Lists of numbers in order; all else as it is: the order of options is theirs."""
    if isinstance(value, list) and all(isinstance(part, int) for part in value):
        return sorted(value)
    return value
