"""The form for exact values: what it asks, what was typed into it, and what was typed wrongly.

What was typed wrongly is kept in the message that says so, so that it can be corrected there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from bot.presses.ids import Action, id_of
from bot.presses.panel import Input
from bot.surface.embed import COMMAND
from bot.surface.limits import MOST_DESCRIPTION, MOST_EMBED, MOST_FIELD, cut

FORMS = (Action.FORM, Action.PEAKED)
MOST_HEADING = 45  # of a form's title, and of the label of a text
MOST_EXAMPLE = 100  # of what a text shows while it is empty


class Form(ui.Modal):
    """A form; whoever hears it come back answers it, since another process may have shown it."""

    def __init__(self, title: str, inputs: Sequence[Input], action: Action = Action.FORM) -> None:
        """`action`: as which it comes back."""
        super().__init__(title=cut(title, MOST_HEADING), custom_id=id_of(action), timeout=None)
        for one in inputs:
            self.add_item(_label(one))


def _label(one: Input) -> ui.Label[Any]:
    text: ui.TextInput[Any] = ui.TextInput(
        custom_id=one.name,
        required=False,
        max_length=one.most,
        placeholder=cut(one.example, MOST_EXAMPLE) or None,
        default=one.value[: one.most] or None,
    )
    return ui.Label(text=cut(one.label, MOST_HEADING), component=text)


def form_of(interaction: discord.Interaction[Any]) -> Action | None:
    """Which form of ours comes back; None where it is none."""
    if interaction.type is not discord.InteractionType.modal_submit:
        return None
    match interaction.data:
        case {"custom_id": str(name)}:
            return next((form for form in FORMS if name == id_of(form)), None)
        case _:
            return None


def typed_into(interaction: discord.Interaction[Any]) -> dict[str, str]:
    """What came back, by the name of each text, on one line and without what steers a display."""
    return {name: _shown(value) for name, value in _texts(interaction.data)}


def _shown(text: str) -> str:
    return "".join(filter(str.isprintable, " ".join(text.split()))).strip()


def _texts(part: object) -> Iterator[tuple[str, str]]:
    match part:
        case {"custom_id": str(name), "value": str(value)}:
            yield name, value
        case {"components": list(inner)}:
            for one in inner:
                yield from _texts(one)
        case {"component": inner}:
            yield from _texts(inner)


def wrong_embed(
    wrong: str, typed: Mapping[str, str], heading: str, again: str, lines: Sequence[str]
) -> discord.Embed:
    """What is wrong, each text as it was typed, and the lines that they were to change."""
    embed = discord.Embed(
        title=cut(heading, MOST_HEADING),
        description=cut(wrong, MOST_DESCRIPTION),
        colour=discord.Colour.red(),
    )
    kept = cut("\n".join(f"`{COMMAND} {line}`" for line in lines), MOST_FIELD)
    left = MOST_EMBED - len(embed) - len(again) - len(kept)
    for name, value in typed.items():
        said = cut(f"`{value.replace('`', chr(39))}`", min(MOST_FIELD, left - len(name)))
        embed.add_field(name=name, value=said, inline=False)
        left -= len(name) + len(said)
    embed.add_field(name=again, value=kept, inline=False)
    return embed


def typed_before(message: discord.Message, labels: Mapping[str, str]) -> dict[str, str]:
    """What a message says was typed, by the names of the `labels` it stands under."""
    said = {
        field.name: (field.value or "").strip("`")
        for embed in message.embeds
        for field in embed.fields
    }
    return {name: said[label] for name, label in labels.items() if label in said}
