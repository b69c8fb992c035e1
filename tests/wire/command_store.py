"""The commands that Discord has: what a sync changes, and what it leaves."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from tests.wire.clock import snowflake
from tests.wire.errors import ApiError
from tests.wire.people import Json

CHAT_INPUT, USER, MESSAGE = 1, 2, 3
CREATES_A_DAY = 200
LOCALISED = ("name_localizations", "description_localizations")
DEFAULTS: Json = {
    "type": CHAT_INPUT,
    "description": "",
    "dm_permission": True,
    "default_member_permissions": None,
    "nsfw": False,
    "contexts": None,
    "integration_types": [0],
    "name_localizations": None,
    "description_localizations": None,
}
Scope = str | None  # a guild's id, or None for global commands


class CommandStore:
    """Commands by scope. Ids survive by type and name, whatever else of a command changes."""

    def __init__(self, application_id: str) -> None:
        self._application_id = application_id
        self._scopes: dict[Scope, list[Json]] = {}
        self._created: dict[Scope, int] = {}

    def of(self, scope: Scope = None) -> list[Json]:
        return self._scopes.setdefault(scope, [])

    def preset(self, bodies: Sequence[Mapping[str, Any]], scope: Scope = None) -> None:
        """What Discord already has, without counting it as created."""
        self._scopes[scope] = [self._stored(body, scope) for body in bodies]

    def replace(self, bodies: Sequence[Mapping[str, Any]], scope: Scope = None) -> list[Json]:
        """The bulk call: afterwards there are these commands and no others, of any type."""
        self._count_creates(bodies, scope)
        self.preset(bodies, scope)
        return self.of(scope)

    def put(self, body: Mapping[str, Any], scope: Scope = None) -> Json:
        """One command: a new one, or in place of one of its type and name."""
        self._count_creates([body], scope)
        stored = self._stored(body, scope)
        others = [each for each in self.of(scope) if each["id"] != stored["id"]]
        self._scopes[scope] = [*others, stored]
        return stored

    def get(self, command_id: str, scope: Scope = None) -> Json:
        for command in self.of(scope):
            if command["id"] == command_id:
                return command
        raise ApiError(404, 10063, "Unknown application command")

    def change(self, command_id: str, body: Mapping[str, Any], scope: Scope = None) -> Json:
        command = self.get(command_id, scope)
        command.update(normalised({**command, **body}), version=snowflake())
        return command

    def delete(self, command_id: str, scope: Scope = None) -> None:
        self.of(scope).remove(self.get(command_id, scope))

    def named(self, name: str, kind: int, guild_id: str | None = None) -> Json | None:
        """The command a person finds; a guild's own comes before a global one."""
        for scope in (guild_id, None):
            for command in self._scopes.get(scope, ()):
                if (command["type"], command["name"]) == (kind, name):
                    return command
        return None

    def _stored(self, body: Mapping[str, Any], scope: Scope) -> Json:
        wanted = normalised(body) if scope is None else {**normalised(body), "guild_id": scope}
        there = (each for each in self.of(scope) if _key(each) == _key(wanted))
        before = next(there, None)
        if before is None:
            return {
                "id": snowflake(),
                **wanted,
                "application_id": self._application_id,
                "version": snowflake(),
            }
        kept = {key: before[key] for key in ("id", "application_id", "version")}
        unchanged = {**wanted, **kept} == before
        return before if unchanged else {**wanted, **kept, "version": snowflake()}

    def _count_creates(self, bodies: Sequence[Mapping[str, Any]], scope: Scope) -> None:
        there = {_key(each) for each in self.of(scope)}
        new = sum(_key(normalised(body)) not in there for body in bodies)
        self._created[scope] = self._created.get(scope, 0) + new
        if self._created[scope] > CREATES_A_DAY:
            message = "Max number of daily application command creates has been reached (200)"
            raise ApiError(400, 30034, message)


def _key(command: Mapping[str, Any]) -> tuple[int, str]:
    return command["type"], command["name"]


def normalised(body: Mapping[str, Any]) -> Json:
    """A command as Discord gives it back: its defaults filled in, an option's left out."""
    command = {**DEFAULTS, **copy.deepcopy(dict(body))}
    for key, default in DEFAULTS.items():
        if command[key] is None:
            command[key] = default
    options = [_option(each) for each in command.pop("options", None) or ()]
    return {**command, "options": options} if options else command


def _option(option: Mapping[str, Any]) -> Json:
    shown = {
        key: value
        for key, value in option.items()
        if value is not None and not (key in ("required", "autocomplete") and not value)
    }
    for key in ("options", "choices", "channel_types"):
        if not shown.get(key):
            shown.pop(key, None)
    if "options" in shown:
        shown["options"] = [_option(each) for each in shown["options"]]
    return shown


def without_localizations(command: Any) -> Any:  # noqa: ANN401 - any part of a command
    """A command as GET shows it unless it is asked for localisations."""
    if isinstance(command, Mapping):
        return {
            key: without_localizations(value)
            for key, value in command.items()
            if key not in LOCALISED
        }
    if isinstance(command, list):
        return [without_localizations(each) for each in command]
    return command
