"""Presses in the walk: the step in its place if it is one's own, else as a walk of one's own.

A name says the whole place, so presses need nothing of each other. They take turns all the same,
so that of many on one message the last one stays.
"""

from typing import Any

import discord

from bot.ask import Desk
from bot.delivery import UNKNOWN_MESSAGE, deliver, delivering
from bot.learning.place import places_in
from bot.localised import commands_in
from bot.pressing.announcing import Announcing
from bot.pressing.order import Order
from bot.slash import Interaction, alone
from bot.surface.asker import is_own
from bot.teaching import taught

Parts = dict[str, Any]  # of a message, as discord.py names them
NOTHING: Parts = {"content": None, "attachments": []}


class Walking:
    """Goes where a button says."""

    def __init__(self) -> None:
        self._order = Order()

    async def go(self, desk: Desk, interaction: Interaction, name: str, what: str) -> None:
        """Show the place that is named; a name that says none is answered too."""
        places, message = places_in(name), interaction.message
        if places is None or message is None:
            closed = desk.locale.learn.sentences["closed"]
            await alone(interaction, closed.format(**commands_in(desk.locale)), what)
            return
        parts = taught(desk, *places)
        if not await is_own(interaction):
            send = interaction.response.send_message
            await deliver(lambda: send(ephemeral=True, **parts), what)
            return
        async with self._order.at(message.id) as queue:
            announcing = Announcing(interaction, what)
            queue.fresh += 1
            try:
                await queue.lock.acquire()
            finally:
                queue.fresh -= 1
            try:
                if queue.fresh:  # a later press will show what it asks for
                    await announcing.now()
                else:
                    await _show(interaction, announcing, parts, what)
            finally:
                queue.lock.release()
                await announcing.settled()


async def _show(interaction: Interaction, announcing: Announcing, parts: Parts, what: str) -> None:
    announced = await announcing.settled()
    edit = interaction.edit_original_response
    send = edit if announced else interaction.response.edit_message

    async def edited() -> None:
        try:
            await send(**NOTHING, **parts)
        except discord.HTTPException as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
            await _say(interaction, parts, announced=announced)  # the message was deleted

    await delivering(announced=announced)(edited, what)


async def _say(interaction: Interaction, parts: Parts, *, announced: bool) -> None:
    if announced:
        await interaction.followup.send(ephemeral=True, **parts)
    else:
        await interaction.response.send_message(ephemeral=True, **parts)
