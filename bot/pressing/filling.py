"""The form for exact values: shown, and answered when it comes back, with nonsense in it or not."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.ask import Desk, Refused
from bot.asking import knowing
from bot.delivery import deliver
from bot.presses.form import inputs_of, labels_of, words_of
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Input, Panel
from bot.pressing.asking import plain
from bot.pressing.in_place import InPlace
from bot.pressing.lines import Lines, lines_of
from bot.reading.changing import MOST_REPLY, Changing
from bot.reading.facts import NotUnderstoodError
from bot.slash import Interaction, alone
from bot.surface.form import Form, typed_before, typed_into, wrong_embed
from bot.surface.panel import view_of
from bot.surface.private import refusal_text


class Filling:
    """Shows the form, and lets what was typed change the answer, as one desk reads it."""

    def __init__(self, desk: Desk, in_place: InPlace) -> None:
        self._desk = desk
        self._in_place = in_place

    async def show(self, interaction: Interaction, what: str) -> None:
        """The form, with what holds now; below a form that was wrong, with what was typed."""
        lines = await lines_of(self._desk, interaction, what)
        if not lines or interaction.message is None:
            return
        before = typed_before(interaction.message, labels_of(self._desk.locale))
        inputs = await self._inputs(lines, before)
        form = Form(self._desk.locale.press.inputs["title"], inputs)
        form.stop()  # nothing is kept of it: what comes back says all
        await deliver(lambda: interaction.response.send_modal(form), what)

    async def take(self, interaction: Interaction, what: str) -> None:
        """What came back changes the answer; nonsense is answered with what was typed."""
        lines = await lines_of(self._desk, interaction, what)
        if not lines:
            return
        locale = self._desk.locale
        typed = typed_into(interaction)
        desk = await knowing(self._desk, lines)
        changes = words_of(await self._inputs(lines, {}), typed)
        if not changes:
            await alone(interaction, locale.press.sentences["unchanged"], f"{what}, unchanged")
            return
        words = ", ".join(changes.values())
        wrong = "\n".join(_wrong(desk, changes, lines))
        if not wrong and len(words) > MOST_REPLY:
            wrong = locale.say_wrong("too_long", most=MOST_REPLY, length=len(words))
        if wrong:
            parts = self._kept(wrong, typed, lines)
            send = interaction.response.send_message
            await deliver(lambda: send(ephemeral=True, **parts), f"{what}, refused")
            return

        def refused(found: Refused) -> dict[str, Any]:
            return self._kept(refusal_text(found.refusal), typed, lines)

        await self._in_place.change(self._desk, interaction, words, what, refused)

    async def _inputs(self, lines: Lines, typed: Mapping[str, str]) -> list[Input]:
        found = None if len(lines) > 1 else (await plain(self._desk, lines[0]))[1]
        return inputs_of(found, self._desk.locale, typed)

    def _kept(self, wrong: str, typed: Mapping[str, str], lines: Lines) -> dict[str, Any]:
        """What is wrong, and what was typed, as a message with a button to correct it."""
        locale = self._desk.locale
        labels = labels_of(locale)
        named = {labels[name]: value for name, value in typed.items() if name in labels and value}
        embed = wrong_embed(
            wrong,
            named,
            locale.press.inputs["title"],
            locale.reply.headings["again"],
            lines,
        )
        again = Button(id_of(Action.EXACT), locale.press.buttons["again"], main=True)
        return {"embed": embed, "view": view_of(Panel(buttons=(again,)))}


def _wrong(desk: Desk, changes: Mapping[str, str], lines: Lines) -> Iterator[str]:
    """What is wrong with each text by itself."""
    sentences = desk.locale.press.sentences
    changing = Changing(desk.reader, desk.catalog, desk.locale)
    for label, words in changes.items():
        try:
            changing.changed(lines, words)
        except NotUnderstoodError as error:
            said = sentences["not_read"] if error.code == "nothing_changed" else error.message
            if not error.choices and not error.strange:
                yield sentences["wrong_input"].format(label=label, wrong=said)
