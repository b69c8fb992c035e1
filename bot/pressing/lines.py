"""The lines of the answer under which something was pressed; where there are none, that is said."""

from bot.ask import Desk
from bot.slash import Interaction, alone
from bot.surface.again import lines_in
from bot.surface.private import sentence

Lines = tuple[str, ...]


async def lines_of(desk: Desk, interaction: Interaction, what: str) -> Lines:
    """The lines that the message can be asked again by; none, once the asker was told so."""
    message = interaction.message
    lines = () if message is None else lines_in(message.content, message.embeds)
    if not lines:
        await no_line(desk, interaction, what)
    return lines


async def no_line(desk: Desk, interaction: Interaction, what: str) -> None:
    """Tell who pressed that the answer cannot be read again."""
    text = sentence(desk.locale, "no_line", desk.examples[0])
    await alone(interaction, text, f"{what}, without a line")
