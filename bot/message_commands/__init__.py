"""Commands on a message, in the menu that Discord shows for it: each file here is one.

A file has a function `command(desk)`, which gives the command.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import discord
from discord import app_commands

from bot.ask import Desk


def message_commands(desk: Desk) -> list[app_commands.ContextMenu]:
    """All of them, usable wherever Discord has commands."""
    modules = sorted(found.name for found in iter_modules(__path__))
    return [import_module(f"{__name__}.{module}").command(desk) for module in modules]


def everywhere(name: str, callback: Any) -> app_commands.ContextMenu:  # noqa: ANN401 - see discord.py
    """A command on a message by its name, for servers and people who installed the bot."""
    return app_commands.ContextMenu(
        name=name,
        callback=callback,
        type=discord.AppCommandType.message,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        allowed_contexts=app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=True
        ),
    )
