"""Whose an answer is: who asked for it, whichever way."""

import asyncio
from contextlib import suppress
from typing import Any

import discord

PATIENCE_S = 0.8  # to be told what an answer replies to; Discord waits for three seconds


def seen_alone(interaction: discord.Interaction[Any]) -> bool:
    """Whether nobody else sees the message under which something was pressed."""
    message = interaction.message
    hidden = message is not None and message.flags.ephemeral
    return hidden or bool(interaction.context.dm_channel)


async def is_own(interaction: discord.Interaction[Any]) -> bool:
    """Whether the answer under which something was pressed is that of who pressed it."""
    message = interaction.message
    if message is None or seen_alone(interaction):
        return True
    if message.interaction_metadata is not None:
        return message.interaction_metadata.user.id == interaction.user.id
    return await _asker_of(interaction, message) == interaction.user.id


async def _asker_of(interaction: discord.Interaction[Any], message: discord.Message) -> int | None:
    """Who wrote what a message replies to; none where that is gone, or cannot be seen."""
    reference = message.reference
    if reference is None or reference.message_id is None:
        return None
    if isinstance(reference.resolved, discord.Message):
        return reference.resolved.author.id
    if isinstance(reference.resolved, discord.DeletedReferencedMessage):
        return None
    http = interaction.client.http
    with suppress(TimeoutError, discord.HTTPException, KeyError, ValueError):
        async with asyncio.timeout(PATIENCE_S):
            told = await http.get_message(reference.channel_id, reference.message_id)
        return int(told["author"]["id"])
    return None
