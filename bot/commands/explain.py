"""`/vram explain`: a topic, with its formula and an example in numbers; or the list of them."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.explaining.guide import EXPLAIN
from bot.slash import Flag, Interaction, Query, listing_of_topics, reply

NAME = EXPLAIN


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; a question does as well as a topic's name."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.autocomplete(topic=listing_of_topics(desk))
    async def explain(interaction: Interaction, topic: Query, private: Flag = None) -> None:
        await reply(interaction, desk, NAME, topic, {"private": private})

    return explain
