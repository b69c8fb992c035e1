"""Every command there is, of both kinds: typed ones, and those in the menu of a message."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.commands import vram_group
from bot.message_commands import message_commands


def register(tree: app_commands.CommandTree[Any], desk: Desk) -> None:
    """Give `tree` all commands, in the language of `desk`."""
    tree.add_command(vram_group(desk))
    for command in message_commands(desk):
        tree.add_command(command)
