"""Every choice that a command offers is answered, and every command is found."""

import asyncio
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.ask import Refused, Replied, Tabled, Weighed, open_desk
from bot.commands import vram_group
from bot.measuring.measuring import NAME as MEASURED
from bot.measuring.measuring import measured
from bot.presenting.sheet import Sheet
from bot.reading.number_lists import COMPARE
from bot.reading.options import COMMAND
from bot.reading.whatfits import FIT

DESK = open_desk()
BESIDE = {  # what a choice needs beside it
    "method": "7B",
    "precision": "7B lora",
    "checkpointing": "7B lora",
    "strategy": "7B lora 2x a100 80GB",
    "kv": "8B",
    "engine": "8B",
    "task": "7B vs 13B",
    "kind": "7B lora",
}
TABLES = {  # what a choice of `/vram fit` needs beside it
    "task": "a100 80GB",
    "method": "a100 80GB",
    "strategy": "2x a100 80GB lora",
    "engine": "a100 80GB",
}


def subcommands() -> list[dict[str, Any]]:
    """The subcommands as they are sent to Discord."""
    tree = app_commands.CommandTree(discord.Client(intents=discord.Intents.none()))
    tree.add_command(vram_group(DESK))
    (command,) = tree.get_commands()
    payload: Any = command.to_dict(tree)
    found: list[dict[str, Any]] = payload["options"]
    return found


NO_TABLE: set[tuple[str, str]] = set()
CHOICES = [
    (command["name"], option["name"], choice["value"])
    for command in subcommands()
    for option in command.get("options", [])
    for choice in option.get("choices", [])
]


def test_every_command_is_found() -> None:
    names = [command["name"] for command in subcommands()]
    assert names == [
        *("compare", "explain", "fit", "help", "infer"),
        *("learn", "measured", "oom", "status", "team", "train"),
    ]


def test_there_are_choices_of_each_kind() -> None:
    assert {option for command, option, _ in CHOICES if command != FIT} == set(BESIDE)
    assert {option for command, option, _ in CHOICES if command == FIT} == set(TABLES)


@pytest.mark.parametrize(("command", "option", "value"), CHOICES)
def test_every_choice_is_answered(command: str, option: str, value: str) -> None:
    if command == FIT:
        table = DESK.ask(TABLES[option], {COMMAND: command, option: value})
        assert isinstance(table, Tabled | Refused)
        assert isinstance(table, Tabled) or (option, value) in NO_TABLE
        return
    if command == MEASURED:
        compared = asyncio.run(measured(DESK, BESIDE[option], "15 GiB", value, None))
        assert isinstance(compared, Sheet)
        return
    of_command = {COMPARE: COMPARE} if command == COMPARE else {"task": command}
    found = DESK.ask(BESIDE[option], {option: value} | of_command)
    assert isinstance(found, Weighed if command == COMPARE else Replied)
