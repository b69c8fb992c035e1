"""Slash commands: each file here is one, found by itself.

A file has a function `command(desk)`, which gives the subcommand of `/vram` that it is.
"""

from importlib import import_module
from pkgutil import iter_modules

from discord import app_commands

from bot.ask import Desk


def vram_group(desk: Desk) -> app_commands.Group:
    """`/vram` with every subcommand, usable wherever Discord has commands."""
    group = app_commands.Group(
        name="vram",
        description=desk.locale.commands["vram"].description,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        allowed_contexts=app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=True
        ),
    )
    for module in sorted(found.name for found in iter_modules(__path__)):
        group.add_command(import_module(f"{__name__}.{module}").command(desk))
    return group
