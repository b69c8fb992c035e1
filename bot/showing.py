"""An answer shown with its picture, which may come a little later."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import discord

from bot.ask import Answered, Refused
from bot.delivery import deliver
from bot.illustrating import Illustrator, illustrator_of, in_time
from bot.posting import Post, Posted, post
from bot.surface.embed import embed_of
from bot.surface.illustrated import Image, changed, posted

Interaction = discord.Interaction[discord.Client]
Sent = discord.Message | None
Send = Callable[[Interaction, discord.Embed, Image | None], Awaitable[Sent]]


async def show(interaction: Interaction, found: Answered, what: str, send: Send) -> None:
    """Show an answer by `send`, which says what message it became; `what` for the log.

    Never raises for what Discord does. A refusal is shown by others.
    """
    if isinstance(found, Refused):
        raise TypeError("a refusal is no answer to show")
    illustrator = illustrator_of(interaction.client)
    allowed = illustrator is not None and interaction.app_permissions.attach_files
    drawing = illustrator.begin(found, None) if illustrator is not None and allowed else None
    embed = embed_of(found.shown)
    image = await in_time(drawing)
    sent: Sent = None

    async def once() -> None:
        nonlocal sent
        sent = await send(interaction, embed, image)

    await deliver(once, what)
    if illustrator is not None and drawing is not None and image is None and sent is not None:
        message, fetch = sent.id, interaction.followup.fetch_message
        illustrator.late(sent, drawing, embed, lambda: fetch(message))


async def at_once(interaction: Interaction, embed: discord.Embed, image: Image | None) -> Sent:
    """As the first answer to an interaction."""
    said = await interaction.response.send_message(**posted(embed, image))
    return said.resource if isinstance(said.resource, discord.Message) else None


async def announced(interaction: Interaction, embed: discord.Embed, image: Image | None) -> Sent:
    """In place of the announcement that an answer will come."""
    return await interaction.edit_original_response(**changed(embed, image))


async def show_below(asked: discord.Message, said: Post, illustrator: Illustrator) -> Posted:
    """Post what is said below the message that asked; an answer with its picture."""
    drawing = None if said.found is None else illustrator.begin(said.found, asked.channel.id)
    image = await in_time(drawing)
    done = await post(asked, replace(said, image=image))
    if done.no_files:
        illustrator.takes_no_files(asked.channel.id)
    sent, embed = done.message, said.embed
    if drawing is not None and image is None and sent is not None and embed is not None:
        message, fetch = sent.id, sent.channel.fetch_message
        if sent.embeds:  # a channel that takes none takes no picture
            illustrator.late(sent, drawing, embed, lambda: fetch(message))
    return done
