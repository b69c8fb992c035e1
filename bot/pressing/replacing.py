"""An answer in the place of the one under which something was pressed, with its picture."""

from collections.abc import Awaitable, Callable
from typing import Any

import discord

from bot.ask import Answered, Desk
from bot.delivery import UNKNOWN_MESSAGE, delivering
from bot.pressing.announcing import Announcing
from bot.showing import Picturing
from bot.shown import shown
from bot.slash import Interaction
from bot.surface.asker import seen_alone

Parts = dict[str, Any]  # of a message, as discord.py names them
NOTHING: Parts = {"content": None, "embed": None, "attachments": [], "view": None}


class Replacing:
    """One message that changes; it was announced, or it is not yet."""

    def __init__(self, interaction: Interaction, announcing: Announcing, what: str) -> None:
        """`what` was pressed, for the log."""
        self._interaction = interaction
        self._announcing = announcing
        self._what = what

    async def show(self, desk: Desk, answer: Answered, pressed: str = "") -> None:
        """Put what `desk` answered in its place; where it was deleted, for who pressed alone."""
        private = seen_alone(self._interaction)
        parts = shown(desk.locale, answer, private=private, pressed=pressed)
        picturing = Picturing(self._interaction, desk, answer)
        await picturing.take(over=self._interaction.message)
        announced = await self._announcing.settled()
        edit = self._interaction.edit_original_response
        send = edit if announced else self._interaction.response.edit_message
        sent: object = None

        async def edited() -> None:
            nonlocal sent
            try:
                sent = await send(**picturing.edit({**NOTHING, **parts}))
            except discord.HTTPException as error:
                if error.code != UNKNOWN_MESSAGE:
                    raise
                await say(self._interaction, announced=announced)(ephemeral=True, **parts)

        outcome = await delivering(announced=announced)(edited, self._what)
        await picturing.sent(sent, parts["embed"], outcome)


def say(interaction: Interaction, *, announced: bool) -> Callable[..., Awaitable[Any]]:
    """What sends a message beside it; `announced`: the first answer to the press was that."""
    return interaction.followup.send if announced else interaction.response.send_message
