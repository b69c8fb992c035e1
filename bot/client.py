"""The client: answers commands and messages, and also what nothing answers any more."""

import asyncio
import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.http import Route

from bot.announcing import is_announced
from bot.ask import Desk
from bot.config import Settings
from bot.connected import ConnectedClient
from bot.cooldown import Cooldowns
from bot.cooling import is_too_much
from bot.delivery import deliver, deliver_later, drain
from bot.desks import spoken
from bot.handover import Handover
from bot.hearing import Hearing
from bot.illustrating import Illustrator
from bot.leaving import Leaving
from bot.limited import end_limits
from bot.membership import keep_little
from bot.ops.answering import Outcome, counted, incident, mark
from bot.ops.exposition import Vitals
from bot.ops.metrics import OTHER
from bot.ops.recently import RECENTLY
from bot.pace import Pace
from bot.pictures.painter import Painter
from bot.presses.ids import Action
from bot.registering import register
from bot.sections import DiscordSettings
from bot.sockets import quick
from bot.surface.form import form_of
from bot.surface.panel import Pressed, left_behind, reaches
from bot.surface.private import sentence
from bot.surviving import survive
from bot.syncing import Syncing
from bot.translator import Translator
from bot.tree import VramTree

if TYPE_CHECKING:
    from bot.pressing.pressing import Pressing

log = logging.getLogger(__name__)

PRESSES = {discord.InteractionType.component: "press", discord.InteractionType.modal_submit: "form"}

Interaction = discord.Interaction[discord.Client]


class VramClient(ConnectedClient):
    """Answers, and has kept what `/vram team` and `/vram measured` are told."""

    def __init__(
        self,
        desk: Desk,
        settings: DiscordSettings,
        pace: Pace,
        drain_s: float,
        painter: Painter | None = None,
        *,
        cooldowns: Cooldowns | None = None,
        handover: Handover | None = None,
    ) -> None:
        """`drain_s`: how long an end waits for what is being answered.

        `painter`: who draws; it goes on when this client is replaced. None: no pictures.
        `cooldowns`: how much is answered, likewise. None: any number of commands.
        `handover`: see ConnectedClient.
        """
        super().__init__(settings, pace, handover)
        self._desk = desk
        self.drain_s = drain_s
        self._cooldowns = cooldowns or Cooldowns()
        self.tree = VramTree(self, self.explain, self._asks_too_much)
        register(self.tree, desk)
        self.add_dynamic_items(Pressed)
        self._painter = painter
        self.settings_now: Callable[[], Settings] = Settings  # whoever makes it knows them
        self.illustrator = Illustrator(painter)
        self._hearing = Hearing(desk, self.illustrator, self._cooldowns)
        text = sentence(desk.locale, "unreadable", self._example)
        keep_little(self._connection)
        survive(self._connection.parsers, self, text)
        self._leaving = None if desk.store is None else Leaving(desk.store, self._is_ours)
        self._looking: asyncio.Task[None] | None = None
        self._syncing = Syncing(self.tree, lambda: self.is_ready())  # noqa: PLW0108  (endpoints have their own)

    @cached_property
    def _pressing(self) -> "Pressing":
        """Who answers presses."""
        from bot.pressing.pressing import Pressing  # noqa: PLC0415  (nobody presses at a start)

        return Pressing(self._desk)

    async def setup_hook(self) -> None:
        """Between login and the first connect: where to connect to, and the commands."""
        end_limits(self.http)
        await self._find_gateway()
        await self.tree.set_translator(Translator())
        if self._settings.sync_on_start and 0 in self._own_shards:
            await self._syncing.begin()

    async def close(self) -> None:
        """However it ends, what is being answered is finished first."""
        if not self.is_closed():
            await drain(self.drain_s)
            await self.illustrator.close()
            self._syncing.close()
            if self._looking is not None:
                self._looking.cancel()
        await super().close()

    def vitals(self) -> Vitals:
        """How this client is, and who draws for it."""
        painter = self._painter
        return Vitals(
            shards=self.shard_states(),
            guilds=len(self.guilds),
            pictures_waiting=0 if painter is None else painter.waiting,
            worker_bytes=None if painter is None else painter.worker_bytes(),
        )

    async def on_ready(self) -> None:
        log.info("ready, connections: %d", len(self.shards))
        if self._painter is not None:
            self._painter.start()
        self._look_for_left()

    def _look_for_left(self) -> None:
        """From the first time on, look every hour for servers that were left unheard."""
        if self._leaving is not None and self._looking is None:
            self._looking = asyncio.create_task(self._leaving.look_hourly(self._servers))

    def _servers(self) -> frozenset[int] | None:
        """Ours that the bot is in; None while not every connection has told its own."""
        return frozenset(one.id for one in self.guilds) if self.hears_discord else None

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Erase what is kept of a server that the bot was removed from."""
        if self._leaving is not None:
            await self._leaving.left(guild.id)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Answer a form that comes back, and a press that nothing answers any more."""
        if interaction.type not in PRESSES or reaches(interaction):
            return
        form = form_of(interaction)
        if form is not None:
            await self.pressed(interaction, form, "")
            return
        if name := left_behind(interaction, Action.LEARN):
            await self.pressed(interaction, Action.LEARN, name)
            return
        with counted(PRESSES[interaction.type], OTHER):
            if await self._asks_too_much(interaction):
                return
            text = sentence(spoken(self._desk, interaction).locale, "no_longer", self._example)
            await _tell(interaction, text, "an old button")

    async def pressed(self, interaction: Interaction, action: str, value: str) -> None:
        """Answer a press; what this program did wrong is said, with a number."""
        with counted(PRESSES[interaction.type], action if action in set(Action) else OTHER):
            if await self._asks_too_much(interaction):
                return
            try:
                await self._pressing.press(interaction, action, value)
            except Exception as error:  # noqa: BLE001  (explain logs it)
                await self.explain(interaction, error)

    async def _asks_too_much(self, interaction: Interaction) -> bool:
        too_much = await is_too_much(self._cooldowns, self._desk, interaction)
        if too_much:
            mark(Outcome.THROTTLED)
        return too_much

    async def on_message(self, message: discord.Message) -> None:
        """Answer a mention, a reply to an answer, or a direct message."""
        if self.user is not None:
            await self._hearing.hear(message, self.user)

    async def explain(self, interaction: Interaction, error: Exception) -> None:
        """Say what became of a command that was not answered."""
        locale = spoken(self._desk, interaction).locale
        if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            mark(Outcome.REFUSED)
            log.warning("a command that is not, or not so, here: %s", type(error).__name__)
            text = sentence(locale, "changed", self._example)
        else:
            mark(Outcome.FAILED)
            number = incident()
            RECENTLY.incident(number, error)
            log.error("incident %s", number, exc_info=error)
            text = sentence(locale, "failed", self._example, incident=number)
        if interaction.type is discord.InteractionType.autocomplete:
            await deliver(lambda: interaction.response.autocomplete([]), "an empty list")
        else:
            await _tell(interaction, text, "an error")

    @property
    def _example(self) -> str:
        return self._desk.examples[0]


async def _tell(interaction: Interaction, text: str, what: str) -> None:
    """Say it to the asker alone, also after an answer was announced."""
    respond, follow_up = interaction.response.send_message, interaction.followup.send
    if is_announced(interaction):
        await deliver_later(lambda: follow_up(text, ephemeral=True), what)
    else:
        await deliver(lambda: respond(text, ephemeral=True), what)


def point_at(settings: DiscordSettings) -> None:
    """Send all REST calls of this process to the address in the settings."""
    Route.BASE = settings.api_base


quick()  # as all clients of this process are
