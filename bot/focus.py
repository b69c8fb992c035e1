"""Whether a command is one that can be called, and a half-typed one that a list can be made for.

discord.py takes what Discord sends on trust: of a value that is no text, or an option of
another kind, it would only log that it failed, and the asker's list would stay open.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.ops.metrics import OTHER

SUB_COMMANDS = (1, 2)  # kinds of options that hold others: a subcommand, and a group of them
STRING, INTEGER, BOOLEAN = 3, 4, 5  # the kinds that our options have
MESSAGE_COMMAND = 3  # a type of commands: in the menu of a message
DEEPEST = 3  # a command, its group, its subcommand

AnyCommand = (
    app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu | None
)


def can_be_listed(tree: app_commands.CommandTree[Any], data: object) -> bool:
    """Whether `data` names one of our options that lists values, with text in it.

    Of a command that is not here discord.py says so itself.
    """
    if not isinstance(data, Mapping):
        return False
    command, options = _command_in(tree, data)
    if not isinstance(command, app_commands.Command):
        return command is None
    name = _focused(options)
    parameter = None if name is None else command.get_parameter(name)
    return parameter is not None and parameter.autocomplete


def name_in(tree: app_commands.CommandTree[Any], data: object) -> str:
    """The name of the command of ours that `data` names, in English; of no other."""
    if not isinstance(data, Mapping):
        return OTHER
    if data.get("type") == MESSAGE_COMMAND:
        menu = tree.get_command(str(data.get("name")), type=discord.AppCommandType.message)
        return OTHER if menu is None else menu.name
    command, _ = _command_in(tree, data)
    return command.name if isinstance(command, app_commands.Command) else OTHER


def _command_in(
    tree: app_commands.CommandTree[Any], data: Mapping[str, Any]
) -> tuple[AnyCommand, object]:
    """The innermost command that `data` names, and the options there."""
    command: AnyCommand = tree.get_command(str(data.get("name")))
    options = data.get("options", [])
    for _ in range(DEEPEST):
        inner = _sub_command(options)
        if inner is None or not isinstance(command, app_commands.Group):
            break
        command, options = command.get_command(str(inner.get("name"))), inner.get("options", [])
    return command, options


def can_be_called(data: object) -> bool:
    """Whether the options in `data` are of the kinds that they say they are."""
    options = data.get("options", []) if isinstance(data, Mapping) else None
    for _ in range(DEEPEST):
        inner = _sub_command(options)
        if inner is None:
            break
        options = inner.get("options", [])
    return isinstance(options, list) and all(_is_option(option) for option in options)


def is_list(interaction: discord.Interaction[Any]) -> bool:
    """Whether a list is asked for."""
    return interaction.type is discord.InteractionType.autocomplete


def is_slash(interaction: discord.Interaction[Any]) -> bool:
    """Whether it is a slash command, and none on a message."""
    of_options = discord.AppCommandType.chat_input.value
    match interaction.data:
        case {"type": int(kind)} if kind == of_options:
            return interaction.type is discord.InteractionType.application_command
    return False


def _sub_command(options: object) -> Mapping[str, Any] | None:
    if not isinstance(options, Sequence) or not options or not isinstance(options[0], Mapping):
        return None
    return options[0] if options[0].get("type") in SUB_COMMANDS else None


def _focused(options: object) -> str | None:
    """The name of the one option that is typed into, where all of them are as they should be."""
    if not isinstance(options, list) or not all(_is_option(option) for option in options):
        return None
    names = [str(option["name"]) for option in options if option.get("focused")]
    texts = [isinstance(option["value"], str) for option in options if option.get("focused")]
    return names[0] if len(names) == 1 and all(texts) else None


def _is_option(option: object) -> bool:
    """A text of a kind for texts; a whole number, or what is typed of one."""
    match option:
        case {"name": str(), "type": int(kind), "value": str()} if kind in (STRING, INTEGER):
            return True
        case {"name": str(), "type": int(kind), "value": bool()} if kind == BOOLEAN:
            return True
        case {"name": str(), "type": int(kind), "value": int(value)} if kind == INTEGER:
            return not isinstance(value, bool)
        case _:
            return False
