"""What a person types into a command, held against what the bot registered."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.wire.clock import snowflake
from tests.wire.command_store import CHAT_INPUT, CommandStore
from tests.wire.errors import SetupError
from tests.wire.files import Attached
from tests.wire.people import Json, Person, partial_member
from tests.wire.places import CONTEXTS, GUILD_INSTALL, USER_INSTALL, Where

SUB_COMMAND, GROUP = 1, 2
STRING, INTEGER, BOOLEAN, USER, NUMBER, ATTACHMENT = 3, 4, 5, 6, 10, 11
LONGEST_STRING = 6000
Value = str | int | float | bool | Person | Attached


@dataclass(frozen=True)
class Invocation:
    """The `data` of a slash command or of its autocompletion, being put together."""

    commands: CommandStore
    where: Where
    guild_id: str | None
    check: bool

    def data(self, path: str, options: Mapping[str, Value], focused: str | None = None) -> Json:
        """`path` is the name of the command, of its group and of its subcommand, with spaces."""
        name, *inner = path.split()
        command = self.commands.named(name, CHAT_INPUT, self.guild_id)
        declared: Iterable[Json] = ()
        if command is None:
            if self.check:
                raise SetupError(f"Discord has no command /{name}")
        else:
            declared = self._declared(command, inner)
        filled = [self._option(key, value, declared, focused) for key, value in options.items()]
        if self.check and focused is None:
            missing = [
                each["name"]
                for each in declared
                if each.get("required") and each["name"] not in options
            ]
            if missing:
                raise SetupError(f"/{path} needs {', '.join(missing)}")
        if focused is not None and focused not in options:
            raise SetupError(f"nothing is typed into {focused}")
        for depth, part in enumerate(reversed(inner)):
            kind = SUB_COMMAND if depth == 0 else GROUP
            filled = [{"name": part, "type": kind, "options": filled}]
        data: Json = {
            "id": command["id"] if command else snowflake(),
            "name": name,
            "type": CHAT_INPUT,
        }
        if command and "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        if filled:
            data["options"] = filled
        found = resolved(options.values(), in_guild=self.guild_id is not None)
        return {**data, "resolved": found} if found else data

    def usable(self, command: Mapping[str, Any]) -> None:
        """Raise SetupError where no person would find the command."""
        contexts, installs = command.get("contexts"), command.get("integration_types") or [0]
        if contexts is not None and CONTEXTS[self.where] not in contexts:
            raise SetupError(f"{command['name']} is not shown in {self.where}")
        needed = {
            Where.GUILD: {GUILD_INSTALL},
            Where.BOT_DM: {GUILD_INSTALL, USER_INSTALL},
            Where.GROUP_DM: {USER_INSTALL},
            Where.FOREIGN_GUILD: {USER_INSTALL},
        }[self.where]
        if not needed & set(installs):
            raise SetupError(f"{command['name']} is not installed so that {self.where} has it")

    def _declared(self, command: Json, inner: list[str]) -> list[Json]:
        """The options of the innermost part that is named."""
        if self.check:
            self.usable(command)
        options: list[Json] = command.get("options") or []
        for part in inner:
            found = next(
                (each for each in options if each["name"] == part and each["type"] in (1, 2)), None
            )
            if found is None and self.check:
                raise SetupError(f"/{command['name']} has no part {part}")
            options = (found or {}).get("options") or []
        if self.check and any(each["type"] in (SUB_COMMAND, GROUP) for each in options):
            raise SetupError(f"/{command['name']} cannot be run without one of its subcommands")
        return options

    def _option(
        self, name: str, value: Value, declared: Iterable[Json], focused: str | None
    ) -> Json:
        option = next((each for each in declared if each["name"] == name), None)
        if option is None and self.check:
            raise SetupError(f"there is no option {name}")
        kind = option["type"] if option else _type_of(value)
        if name == focused:
            if option is not None and self.check and not option.get("autocomplete"):
                raise SetupError(f"option {name} does not complete")
            return {"name": name, "type": kind, "value": value, "focused": True}
        if option is not None and self.check:
            _fits(option, value)
        sent = value.id if isinstance(value, Person) else value
        sent = sent.document["id"] if isinstance(sent, Attached) else sent
        return {"name": name, "type": kind, "value": sent}


def _type_of(value: Value) -> int:
    match value:
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case float():
            return NUMBER
        case Person():
            return USER
        case Attached():
            return ATTACHMENT
        case _:
            return STRING


def _fits(option: Mapping[str, Any], value: Value) -> None:
    """What Discord's own client lets a person send."""
    name, kind = option["name"], _type_of(value)
    if kind != option["type"] and not (kind == INTEGER and option["type"] == NUMBER):
        raise SetupError(f"option {name} is of type {option['type']}, not {kind}")
    choices = [each["value"] for each in option.get("choices") or ()]
    if choices and value not in choices:
        raise SetupError(f"option {name} is one of {choices}")
    if isinstance(value, str):
        size: float = len(value)
        least, most = option.get("min_length", 0), option.get("max_length", LONGEST_STRING)
    elif isinstance(value, int | float):
        size = value
        least, most = option.get("min_value", -(2**53)), option.get("max_value", 2**53)
    else:
        return
    if not least <= size <= most:
        raise SetupError(f"option {name} lies between {least} and {most}")


def resolved(values: Iterable[object], *, in_guild: bool) -> Json:
    """The people and files that options name."""
    found: Json = {}
    for value in values:
        if isinstance(value, Person):
            found.setdefault("users", {})[value.id] = value.user()
            if in_guild:
                found.setdefault("members", {})[value.id] = partial_member()
        elif isinstance(value, Attached):
            found.setdefault("attachments", {})[value.document["id"]] = value.document
    return found
