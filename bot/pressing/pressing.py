"""Every press, and every form that comes back → whoever answers it; some at a time."""

from bot.ask import Desk
from bot.desks import desk_for
from bot.ops.answering import Outcome, mark
from bot.presses.ids import Action
from bot.pressing.filling import Filling
from bot.pressing.forgetting import forget
from bot.pressing.in_place import InPlace
from bot.pressing.leafing import leaf
from bot.pressing.looking import Looking
from bot.pressing.measuring import Measuring
from bot.pressing.walking import Walking
from bot.slash import Interaction, alone
from bot.surface.panel import chosen_in
from bot.surface.private import sentence
from bot.turns import Turns

AT_ONCE = 64  # presses that are answered at the same time, each with a connection of its own
TURN_S = 2.0  # for a turn; Discord waits for three seconds


class Pressing:
    """Answers presses. What goes wrong here is for the client to say."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._turns = Turns(AT_ONCE, longest_s=TURN_S)
        self._in_place = InPlace()
        self._walking = Walking()

    async def press(self, interaction: Interaction, action: str, value: str) -> None:
        """Answer a button or a list, by its name."""
        of = None if interaction.message is None else interaction.message.id
        async with self._turns.turn(of) as in_time:
            if in_time:
                await self._press(interaction, action, value)
            else:
                mark(Outcome.TOO_LATE)

    async def _press(self, interaction: Interaction, action: str, value: str) -> None:
        chosen = chosen_in(interaction)
        what = f"a press on {action}"
        desk = await desk_for(self._desk, interaction)
        looking, filling = Looking(desk), Filling(desk, self._in_place)
        match action:
            case Action.SET | Action.FIT if chosen:
                await self._in_place.change(desk, interaction, chosen, what)
            case Action.OPEN:
                await looking.open(interaction, chosen, value, what)
            case Action.MATHS:
                await looking.maths(interaction, value, what)
            case Action.COMPARE:
                await looking.compare(interaction, what)
            case Action.EXACT:
                await filling.show(interaction, what)
            case Action.FORM:
                await filling.take(interaction, what)
            case Action.MEASURED | Action.PEAK | Action.PEAKED:
                await Measuring(desk).press(interaction, action, what)
            case Action.COPY:
                await looking.copy(interaction, what)
            case Action.LEARN:
                await self._walking.go(desk, interaction, value, what)
            case Action.TOPIC if chosen or value:
                await leaf(desk, interaction, chosen or value, what)
            case Action.FORGET:
                await forget(interaction, desk, what)
            case _:
                text = sentence(desk.locale, "no_longer", desk.examples[0])
                await alone(interaction, text, "an old button")
