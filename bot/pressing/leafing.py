"""Presses that lead from one topic to the next: in place if it is one's own, else privately."""

from bot.ask import Desk
from bot.presses.panels import ALL
from bot.pressing.announcing import Announcing
from bot.pressing.replacing import Replacing
from bot.showing import show
from bot.shown import shown
from bot.slash import Interaction, alone
from bot.surface.asker import is_own
from bot.surface.private import sentence


async def leaf(desk: Desk, interaction: Interaction, topic: str, what: str) -> None:
    """Show the topic of that id, or the list of all."""
    found = desk.guide.contents() if topic == ALL else desk.guide.topic(topic)
    if found is None:
        text = sentence(desk.locale, "no_longer", desk.examples[0])
        await alone(interaction, text, f"{what}, of a topic that was")
        return
    if await is_own(interaction):
        await Replacing(interaction, Announcing(interaction, what), what).show(desk, found)
        return
    parts = shown(desk.locale, found, private=True)
    await show(interaction, desk, found, {**parts, "ephemeral": True}, what)
