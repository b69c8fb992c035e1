"""Presses about measured peaks: what to measure for an answer, and the form for the peak."""

from collections.abc import Coroutine, Mapping
from typing import Any

from bot.ask import Desk
from bot.delivery import deliver
from bot.measuring.measuring import Recorder, measured
from bot.owners import owner_of
from bot.presenting.presentation import Refusal
from bot.presenting.spoken import spoken
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Panel
from bot.presses.peak_form import KIND, PEAK, peak_inputs, peak_labels
from bot.pressing.asking import plain
from bot.pressing.lines import lines_of
from bot.saying import Said, say
from bot.slash import Interaction
from bot.surface.form import Form, typed_before, typed_into, wrong_embed
from bot.surface.panel import view_of
from bot.surface.private import refusal_text
from estimator import Statistic, statistics_of


class Measuring:
    """Answers such presses in one language, to who pressed alone."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def press(self, interaction: Interaction, action: str, what: str) -> None:
        """Answer one of its buttons, or its form that comes back."""
        match action:
            case Action.MEASURED:
                await self._show(interaction, what)
            case Action.PEAK:
                await self._open(interaction, what)
            case _:
                await self._take(interaction, what)

    async def _show(self, interaction: Interaction, what: str) -> None:
        """What to measure for an answer, with a button that opens the form."""
        line = await self._line(interaction, what)
        if line:
            coming = measured(self._desk, line, None, "", None)
            await say(interaction, self._desk, coming, what, private=True)

    async def _open(self, interaction: Interaction, what: str) -> None:
        """The form; below one that was wrong, with what was typed."""
        line = await self._line(interaction, what)
        if not line or interaction.message is None:
            return
        _, found = await plain(self._desk, line)
        there = tuple(Statistic) if found is None else statistics_of(found.answer.setup)
        locale = self._desk.locale
        before = typed_before(interaction.message, peak_labels(locale))
        inputs = peak_inputs(locale, there, before)
        form = Form(locale.measured.inputs["title"], inputs, Action.PEAKED)
        form.stop()  # nothing is kept of it: what comes back says all
        await deliver(lambda: interaction.response.send_modal(form), what)

    async def _take(self, interaction: Interaction, what: str) -> None:
        """What came back is held against the estimate and kept; nonsense can be corrected."""
        line = await self._line(interaction, what)
        if not line:
            return
        typed = typed_into(interaction)
        recorder = Recorder(owner_of(interaction), interaction.user.id)
        kind, peak = typed.get(KIND, ""), typed.get(PEAK, "")
        coming = measured(self._desk, line, peak, kind, recorder)
        await say(interaction, self._desk, self._correctable(coming, typed, line), what,
                  private=True)  # fmt: skip

    async def _correctable(
        self, coming: Coroutine[Any, Any, Said], typed: Mapping[str, str], line: str
    ) -> Said:
        """What is wrong comes with what was typed, and a button to correct it."""
        said = await coming
        if not isinstance(said, Refusal):
            return said
        locale = self._desk.locale
        labels = peak_labels(locale)
        named = {labels[name]: value for name, value in typed.items() if name in labels and value}
        wrong = refusal_text(spoken(said, locale))
        title, again = locale.measured.inputs["title"], locale.measured.headings["again"]
        embed = wrong_embed(wrong, named, title, again, [line])
        button = Button(id_of(Action.PEAK), locale.press.buttons["again"], main=True)
        return {"embed": embed, "view": view_of(Panel(buttons=(button,)))}

    async def _line(self, interaction: Interaction, what: str) -> str:
        return "".join((await lines_of(self._desk, interaction, what))[:1])
