"""What is asked too much on Discord: said to who asked alone, with when to ask again."""

from time import time

import discord

from bot.ask import Desk
from bot.cooldown import ASKER, Asker, Cooldowns, Kind, Rest
from bot.delivery import deliver
from bot.desks import speaking
from bot.locale import Locale

Interaction = discord.Interaction[discord.Client]


async def is_too_much(cooldowns: Cooldowns, desk: Desk, interaction: Interaction) -> bool:
    """Whether it is not answered; that is then said, and of a list that it is empty."""
    listed = interaction.type is discord.InteractionType.autocomplete
    asker = Asker(interaction.user.id, interaction.guild_id or 0)
    ASKER.set(asker)  # for what is asked of others because of it
    rest = cooldowns.rest(Kind.LISTED if listed else Kind.ASKED, asker)
    if rest is None:
        return False
    if not rest.told:
        return True
    respond = interaction.response
    if listed:
        await deliver(lambda: respond.autocomplete([]), "an empty list")
        return True
    text = resting((await speaking(desk, interaction)).locale, rest)
    await deliver(lambda: respond.send_message(text, ephemeral=True), "asked too much")
    return True


def resting(locale: Locale, rest: Rest) -> str:
    """The sentence; Discord shows a moment as a span that passes: `in 12 seconds`."""
    return locale.say_on_discord(rest.key, when=f"<t:{int(time() + rest.wait_s) + 1}:R>")
