"""`/vram team`: the cards that a team has, kept, so that answers say whether it fits there."""

import asyncio
from typing import Any

from discord import app_commands
from discord.app_commands import Choice

from bot.announcing import announce
from bot.ask import Desk
from bot.delivery import deliver, deliver_later
from bot.desks import desk_for
from bot.owners import may_manage, owner_of
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Panel
from bot.reading.suggest import Named
from bot.slash import ANNOUNCED_S, Flag, Interaction, Listing, Words, listing_of, send_list
from bot.surface.choices import value_choices
from bot.surface.limits import MOST_CONTENT, cut
from bot.surface.panel import view_of
from bot.teaming import FORGET, NONE, SHOW, TeamReply, team_reply

NAME = "team"
SAID = (SHOW, NONE, FORGET)
WHAT = f"/vram {NAME}"


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; anybody may look, and who may manage the server may change."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.autocomplete(query=_listing(desk))
    async def team(interaction: Interaction, query: Words, private: Flag = None) -> None:
        asked = await desk_for(desk, interaction)
        asking = asyncio.ensure_future(
            team_reply(asked, owner_of(interaction), query, may=may_manage(interaction))
        )
        await _sent(interaction, asked, asking, private=bool(private))

    return team


def _listing(desk: Desk) -> Listing:
    """What else can be said than cards, as long as it may be meant; then cards."""
    cards = listing_of(desk, Named.CARD)

    async def listed(interaction: Interaction, typed: str) -> list[Choice[str]]:
        begun = typed.strip().casefold()
        said = [word for word in SAID if word.startswith(begun)]
        if not said:
            return await cards(interaction, typed)
        return await send_list(interaction, value_choices((word, "") for word in said))

    return listed


async def _sent(
    interaction: Interaction, desk: Desk, asking: asyncio.Future[TeamReply], *, private: bool
) -> None:
    """Say what comes of it; where that takes a while, it is announced, to the asker alone."""
    done, _ = await asyncio.wait({asking}, timeout=ANNOUNCED_S)
    if not done:
        await announce(interaction, WHAT, thinking=True, ephemeral=True)
    said = await asking
    parts = _parts(said, desk)
    if done:
        send, hidden = interaction.response.send_message, private or said.wrong
        await deliver(lambda: send(ephemeral=hidden, **parts), WHAT)
    else:
        await deliver_later(lambda: interaction.edit_original_response(**parts), WHAT)


def _parts(said: TeamReply, desk: Desk) -> dict[str, Any]:
    parts: dict[str, Any] = {"content": cut(said.text, MOST_CONTENT)}
    label = desk.locale.press.buttons[Action.FORGET]
    view = view_of(Panel(buttons=(Button(id_of(Action.FORGET), label),)))
    return {**parts, "view": view} if said.confirms else parts
