"""A panel as Discord's components, and the panel of a message that has some.

A press reaches whichever process hears it, by the name of what was pressed: nothing is kept
between an answer and a press on it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self

import discord
from discord import ui

from bot.presses.ids import TEMPLATE, Action, id_of
from bot.presses.panel import Button, Option, Panel, Select
from bot.surface.limits import MOST_HINT, MOST_LABEL, MOST_OPTION, MOST_OPTIONS, cut

Interaction = discord.Interaction[Any]


class Pressable(Protocol):
    """A client that answers presses."""

    async def pressed(self, interaction: Interaction, action: str, value: str) -> None:
        """Answer one."""


class Pressed(ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """Any button and any select of ours, known by its name alone."""

    def __init__(self, item: ui.Item[Any], action: str = "", value: str = "") -> None:
        super().__init__(item)
        self._action = action
        self._value = value

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """What was pressed; `item` stands in the message that Discord sent along."""
        del interaction
        return cls(item, match["action"], match["value"] or "")

    async def callback(self, interaction: Interaction) -> None:
        """Let the client answer."""
        client: Pressable = interaction.client
        await client.pressed(interaction, self._action, self._value)


def view_of(panel: Panel) -> ui.View | None:
    """The components of a message; none where there is nothing to press."""
    if not panel.selects and not panel.buttons:
        return None
    view = Still()
    for row, select in enumerate(panel.selects):
        view.add_item(Pressed(_select(select, row)))
    for button in panel.buttons:
        view.add_item(Pressed(_button(button, len(panel.selects))))
    return view


def rows_of(rows: Sequence[Sequence[Button]]) -> ui.View:
    """Buttons alone, in rows."""
    view = Still()
    for row, buttons in enumerate(rows):
        for button in buttons:
            view.add_item(Pressed(_button(button, row)))
    return view


class Still(ui.View):
    """Nothing changes it once it is made, and discord.py keeps nothing of it: it is sent again."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self._sent: list[dict[str, Any]] = []
        self.stop()

    def to_components(self) -> list[dict[str, Any]]:
        """As Discord is told them; made once."""
        self._sent = self._sent or super().to_components()
        return self._sent


def panel_in(message: discord.Message) -> Panel:
    """What stands under a message."""
    parts = [*_parts(message)]
    selects = (_read_select(one) for one in parts if isinstance(one, discord.SelectMenu))
    buttons = (
        Button(one.custom_id, one.label or "", main=one.style is discord.ButtonStyle.primary)
        for one in parts
        if isinstance(one, discord.Button) and one.custom_id
    )
    return Panel(tuple(selects), tuple(buttons))


def reaches(interaction: Interaction) -> bool:
    """Whether a press is on one of ours, and on one that its message still has.

    discord.py passes over all others in silence, and over those whose message it cannot read.
    """
    match interaction.data:
        case {"custom_id": str(name), "component_type": int(kind)} if re.fullmatch(TEMPLATE, name):
            message = interaction.message
            return (
                message is not None
                and _can_be_read(message)
                and any(
                    getattr(one, "custom_id", "") == name and one.type.value == kind
                    for one in _parts(message)
                )
            )
        case _:
            return False


def _can_be_read(message: discord.Message) -> bool:
    try:
        ui.View.from_message(message).stop()
    except Exception:  # noqa: BLE001  (whatever it is, discord.py meets it next)
        return False
    return True


def left_behind(interaction: Interaction, action: Action) -> str:
    """The value of a press on a button that its message has no longer, beside others like it.

    Empty where it is none. Who presses fast presses what the message showed a moment ago.
    """
    match interaction.data:
        case {"custom_id": str(name)} if interaction.message is not None:
            found, like = re.fullmatch(TEMPLATE, name), id_of(action)
            names = (getattr(one, "custom_id", "") or "" for one in _parts(interaction.message))
            if found and found["action"] == action and any(one.startswith(like) for one in names):
                return found["value"] or ""
    return ""


def chosen_in(interaction: Interaction) -> str:
    """The value that was chosen from a list; empty of a button."""
    match interaction.data:
        case {"values": [str(value), *_]}:
            return value
        case _:
            return ""


def without_copy(panel: Panel) -> Panel:
    """The panel of a message that nobody else sees."""
    kept = tuple(one for one in panel.buttons if one.id != id_of(Action.COPY))
    return Panel(panel.selects, kept, panel.note)


def _parts(message: discord.Message) -> Iterator[discord.Component]:
    for row in message.components:
        if isinstance(row, discord.ActionRow):
            yield from row.children


def _read_select(part: discord.SelectMenu) -> Select:
    options = tuple(Option(o.label, o.value, o.description or "") for o in part.options)
    chosen = next((one.value for one in part.options if one.default), "")
    return Select(part.custom_id, part.placeholder or "", options, chosen)


def _select(select: Select, row: int) -> ui.Select[Any]:
    options = [
        discord.SelectOption(
            label=cut(one.label, MOST_LABEL),
            value=one.value,
            description=cut(one.detail, MOST_OPTION) or None,
            default=bool(select.chosen) and one.value == select.chosen,
        )
        for one in select.options[:MOST_OPTIONS]
    ]
    hint = cut(select.hint, MOST_HINT)
    return ui.Select(custom_id=select.id, placeholder=hint, options=options, row=row)


def _button(button: Button, row: int) -> ui.Button[Any]:
    style = discord.ButtonStyle.primary if button.main else discord.ButtonStyle.secondary
    style = discord.ButtonStyle.success if button.chosen else style
    return ui.Button(custom_id=button.id, label=cut(button.label, MOST_LABEL), style=style, row=row)
