"""A bot of discord.py that says the same to everything: what any answer costs at least.

`python -m tests.load.floor API_BASE GATEWAY`, with the token in the environment. It asks for the
same events as the bot does.
"""

import asyncio
import os
import sys
from typing import Any

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.hearing import INTENTS

COMMANDS = ("train", "infer", "fit", "compare")  # of those that are asked for
EMBED = discord.Embed(title="15.7 GiB (16.9 GB)", description="This is all that I know.")
CHOICES = [app_commands.Choice(name=f"answer {number}", value=str(number)) for number in range(8)]

Interaction = discord.Interaction[discord.Client]


class Floor(discord.AutoShardedClient):
    """One embed."""

    def __init__(self) -> None:
        super().__init__(intents=INTENTS, guild_ready_timeout=0)
        self.tree = app_commands.CommandTree(self)
        group = app_commands.Group(name="vram", description="Memory")
        for name in COMMANDS:
            group.add_command(command(name))
        self.tree.add_command(group)

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_interaction(self, interaction: Interaction) -> None:
        """A press; the tree answers the rest."""
        if interaction.type is discord.InteractionType.component:
            await interaction.response.edit_message(embed=EMBED)


def command(name: str) -> app_commands.Command[Any, ..., None]:
    """A command with the options that are used of the bot's."""

    @app_commands.command(name=name, description=name)
    @app_commands.autocomplete(query=listed)
    async def answer(
        interaction: Interaction, query: str, seq: int | None = None, context: int | None = None
    ) -> None:
        del query, seq, context
        await interaction.response.send_message(embed=EMBED)

    return answer


async def listed(_interaction: Interaction, _typed: str) -> list[app_commands.Choice[str]]:
    return CHOICES


def main() -> None:
    """Run until SIGTERM ends it."""
    api_base, gateway = sys.argv[1:]
    Route.BASE = api_base
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    asyncio.run(Floor().start(os.environ["DISCORD_TOKEN"]))


if __name__ == "__main__":
    main()
