"""The press that confirms that all that is kept of a server, or of a person, is to be erased."""

from bot.ask import Desk
from bot.delivery import deliver
from bot.owners import may_manage, owner_of
from bot.slash import Interaction, alone
from bot.teaming import erased


async def forget(interaction: Interaction, desk: Desk, what: str) -> None:
    """Erase it, if who pressed may: that may have changed since the button was shown."""
    if not may_manage(interaction):
        await alone(interaction, desk.locale.say_of_team("may_not"), what)
        return
    said = await erased(desk, owner_of(interaction))
    if said.wrong:  # the button stays, to be pressed again
        await alone(interaction, said.text, what)
        return
    edit = interaction.response.edit_message
    await deliver(lambda: edit(content=said.text, view=None), what)
