"""The tree of commands: some are answered at a time, and what went wrong in one is answered too."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import discord
from discord import app_commands

from bot.delivery import deliver
from bot.focus import can_be_called, can_be_listed, is_list, is_slash, name_in
from bot.ops.answering import Outcome, counted, mark
from bot.turns import Turns

log = logging.getLogger(__name__)

AT_ONCE = 64  # commands that are answered at the same time, each with a connection of its own
STEPS = 4  # of the event loop, in which a reply that is made is on its way
TURN_S = 2.5  # for a turn; Discord waits for three seconds, and an answer takes some to arrive

Interaction = discord.Interaction[discord.Client]
Explain = Callable[[Interaction, Exception], Awaitable[None]]
Check = Callable[[Interaction], Awaitable[bool]]


class VramTree(app_commands.CommandTree[discord.Client]):
    """The commands, and an answer to what went wrong in one."""

    def __init__(self, client: discord.Client, explain: Explain, too_much: Check) -> None:
        """`explain`: tells who asked what became of a command that was not answered.

        `too_much`: whether somebody asks too much, which is then answered.
        """
        super().__init__(client)
        self._explain = explain
        self._too_much = too_much
        self._turns = Turns(AT_ONCE, longest_s=TURN_S)
        self._beginning = asyncio.Lock()

    async def _call(self, interaction: Interaction) -> None:
        """Some at a time, so that the first answers leave while others wait for their turn.

        discord.py passes on errors of its own kind only; the unforeseen is answered here.
        """
        kind = "list" if is_list(interaction) else "command"
        with counted(kind, name_in(self, interaction.data)):
            if await self._too_much(interaction):
                mark(Outcome.THROTTLED)
                return
            async with self._turns.turn() as in_time:
                if in_time:
                    await self._begin()
                    await self._answer(interaction)
                else:
                    mark(Outcome.TOO_LATE)

    async def _begin(self) -> None:
        """Let what is made leave before the next is made.

        A session that goes on brings all that was asked meanwhile at one moment. Worked out in a
        row, the first of these answers would leave when the last is made, too late for most.
        """
        async with self._beginning:
            for _ in range(STEPS):
                await asyncio.sleep(0)

    async def _answer(self, interaction: Interaction) -> None:
        if is_list(interaction) and not can_be_listed(self, interaction.data):
            log.warning("a list was asked for something that cannot be listed")
            await deliver(lambda: interaction.response.autocomplete([]), "an empty list")
            return
        if is_slash(interaction) and not can_be_called(interaction.data):
            await self._explain(interaction, app_commands.CommandNotFound("of no such form", []))
            return
        try:
            await super()._call(interaction)
        except (app_commands.CommandNotFound, app_commands.CommandSignatureMismatch):
            mark(Outcome.REFUSED)  # it is what Discord still shows of another version
            raise
        except app_commands.AppCommandError:
            raise
        except Exception as error:  # noqa: BLE001  (explain logs it)
            await self._explain(interaction, error)
        if is_list(interaction) and not interaction.response.is_done():
            mark(Outcome.FAILED)  # discord.py has logged why, and would leave the list open
            await deliver(lambda: interaction.response.autocomplete([]), "an empty list")

    async def on_error(
        self, interaction: Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        """Tell the asker; what this program did wrong also goes to the log, with a number."""
        await self._explain(interaction, error)
