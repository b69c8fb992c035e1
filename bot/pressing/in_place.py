"""A press that changes an answer: in its place if it is one's own, as a private copy if not.

Presses on one message take turns. Where more of them wait, only what comes of the last is shown;
those before it are acknowledged, and nothing that they changed is lost.
"""

from collections.abc import Callable, Sequence
from functools import partial

from bot.ask import Answered, Desk, Refused, Replied, Tabled, Weighed
from bot.delivery import delivering
from bot.ops.answering import refused
from bot.pressing.announcing import Announcing
from bot.pressing.asking import Question, at_once, below, whole
from bot.pressing.lines import lines_of
from bot.pressing.order import Lines, Order, Place
from bot.pressing.replacing import Parts, Replacing, say
from bot.reading.whatfits import FIT
from bot.shown import shown
from bot.slash import Interaction, respond
from bot.surface.asker import is_own

Refuse = Callable[[Refused], Parts]  # how a refusal is said


class InPlace:
    """Changes answers, and keeps presses on one message in their order."""

    def __init__(self) -> None:
        self._order = Order()

    async def change(
        self,
        desk: Desk,
        interaction: Interaction,
        words: str,
        what: str,
        refuse: Refuse | None = None,
    ) -> None:
        """Let `words` change the answer under which something was pressed, as `desk` reads them."""
        refuse = refuse or partial(shown, desk.locale, private=True)
        message, lines = interaction.message, await lines_of(desk, interaction, what)
        if message is None or not lines:
            return
        if not await is_own(interaction):
            asked = await below(desk, lines, words)
            await respond(interaction, asked.desk, what, asked.words, asked.options, private=True)
            return
        async with self._order.at(message.id) as place:
            turn = _Turn(desk, interaction, place, what, refuse)
            await turn.take(words, lines)


class _Turn:
    """One press, from its wait to its answer."""

    def __init__(
        self, desk: Desk, interaction: Interaction, place: Place, what: str, refuse: Refuse
    ) -> None:
        self._desk = desk
        self._interaction = interaction
        self._place = place
        self._what = what
        self._refuse = refuse
        self._announcing = Announcing(interaction, what)

    async def take(self, words: str, sent: Sequence[str]) -> None:
        """Change the lines that came with the press, or what presses before it made of them."""
        self._place.fresh += 1
        try:
            await self._place.lock.acquire()
        finally:
            self._place.fresh -= 1
        try:
            behind = await self._changed(words, self._place.base(sent))
        finally:
            self._place.lock.release()
            await self._announcing.settled()
        if behind:
            await self._catch_up()

    async def _changed(self, words: str, lines: Lines) -> bool:
        """Whether it was taken and is still to be shown, since others follow."""
        asked = await below(self._desk, lines, words)
        if self._place.fresh:
            found = at_once(asked)
            if isinstance(found, Replied) and not found.strange and is_of_kind(found, lines):
                self._place.moves_to(_lines_of(found))
                await self._announcing.now()
                return True
        answer = await whole(asked)
        if isinstance(answer, Refused):
            refused(answer.code)
            await self._aside(self._refuse(answer))
        elif not is_of_kind(answer, lines):
            await self._aside(shown(self._desk.locale, answer, private=True))
        else:
            self._place.moves_to(_lines_of(answer))
            await self._show(answer, words)
        return False

    async def _catch_up(self) -> None:
        """Show what came of the last press, if that press could not do so itself."""
        place = self._place
        while True:
            async with place.lock:
                if place.shows == place.latest:
                    return
                if not place.fresh:
                    answer = await whole(Question(self._desk, place.latest[0], {}))
                    if not isinstance(answer, Refused):
                        await self._show(answer, "")
                    return

    async def _show(self, answer: Answered, pressed: str) -> None:
        self._place.shows = self._place.latest
        replacing = Replacing(self._interaction, self._announcing, self._what)
        await replacing.show(self._desk, answer, pressed)

    async def _aside(self, parts: Parts) -> None:
        """Say something to who pressed alone, and leave the message as it is."""
        announced = await self._announcing.settled()
        send = say(self._interaction, announced=announced)
        deliver = delivering(announced=announced)
        await deliver(lambda: send(ephemeral=True, **parts), f"{self._what}, aside")


def _lines_of(answer: Answered) -> Lines:
    """The lines that its message will be read by."""
    match answer:
        case Replied():
            return (answer.presentation.line,)
        case Weighed():
            return answer.comparison.lines
        case Tabled():
            return answer.overview.lines[:1]
        case _:
            return ()


def is_of_kind(answer: Answered, lines: Lines) -> bool:
    """Whether it is what these lines ask for: an answer, several side by side, or tables."""
    if lines[0].startswith(FIT):
        return isinstance(answer, Tabled)
    return isinstance(answer, Weighed if len(lines) > 1 else Replied)
