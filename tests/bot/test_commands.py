"""Every choice that a command offers is answered, and every command is found."""

from typing import Any

import discord
import pytest
from discord import app_commands

from bot.ask import Replied, Weighed, open_desk
from bot.commands import vram_group
from bot.reading.number_lists import COMPARE

DESK = open_desk()
BESIDE = {  # what a choice needs beside it
    "method": "7B",
    "precision": "7B lora",
    "checkpointing": "7B lora",
    "strategy": "7B lora 2x a100 80GB",
    "kv": "8B",
    "engine": "8B",
    "task": "7B vs 13B",
}


def subcommands() -> list[dict[str, Any]]:
    """The subcommands as they are sent to Discord."""
    tree = app_commands.CommandTree(discord.Client(intents=discord.Intents.none()))
    tree.add_command(vram_group(DESK))
    (command,) = tree.get_commands()
    payload: Any = command.to_dict(tree)
    found: list[dict[str, Any]] = payload["options"]
    return found


CHOICES = [
    (command["name"], option["name"], choice["value"])
    for command in subcommands()
    for option in command.get("options", [])
    for choice in option.get("choices", [])
]


def test_every_command_is_found() -> None:
    assert [command["name"] for command in subcommands()] == ["compare", "help", "infer", "train"]


def test_there_are_choices_of_each_kind() -> None:
    assert {option for _, option, _ in CHOICES} == set(BESIDE)


@pytest.mark.parametrize(("task", "option", "value"), CHOICES)
def test_every_choice_is_answered(task: str, option: str, value: str) -> None:
    of_command = {COMPARE: COMPARE} if task == COMPARE else {"task": task}
    found = DESK.ask(BESIDE[option], {option: value} | of_command)
    assert isinstance(found, Weighed if task == COMPARE else Replied)
