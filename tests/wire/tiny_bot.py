"""A small bot on the real client, with one of everything: what the stand-in is tried with."""

import asyncio
import io
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import discord
from discord import app_commands, ui

from tests.wire.aim import aimed_at
from tests.wire.standin import StandIn

Interaction = discord.Interaction["TinyBot"]
LEAVE_WITHIN_S = 0.5


class Again(ui.DynamicItem[ui.Button[Any]], template=r"tiny:again:(?P<times>\d+)"):
    """A button whose state stands in its id, so that any process can answer a press."""

    def __init__(self, times: int) -> None:
        super().__init__(ui.Button(label="Again", custom_id=f"tiny:again:{times}"))
        self.times = times

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction[Any], _item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(int(match["times"]))

    async def callback(self, interaction: discord.Interaction[Any]) -> Any:  # noqa: ANN401
        await interaction.response.edit_message(
            content=f"pressed {self.times}", view=again(self.times + 1)
        )


def again(times: int) -> ui.View:
    view = ui.View(timeout=None)
    view.add_item(Again(times))
    return view


class Form(ui.Modal, title="A form"):
    """One label with one text."""

    words: ui.Label[Any] = ui.Label(text="Words", component=ui.TextInput(custom_id="words"))

    def __init__(self) -> None:
        super().__init__(custom_id="tiny:form")

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        words = self.words.component
        assert isinstance(words, ui.TextInput)
        if interaction.message:
            await interaction.response.edit_message(content=words.value)
        else:
            await interaction.response.send_message(words.value)


class Vram(app_commands.Group):
    """A group of commands."""

    @app_commands.command()
    async def train(self, interaction: Interaction, query: str, context: int | None = None) -> None:
        """Answer at once with an embed and a button."""
        embed = discord.Embed(title="Answer", description=query)
        if context is not None:
            embed.add_field(name="context", value=str(context))
        await interaction.response.send_message(embed=embed, view=again(1))

    @train.autocomplete("query")
    async def complete(
        self, _interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{current} adam", value=f"{current} adam")]

    @app_commands.command()
    async def slow(self, interaction: Interaction) -> None:
        """Think, then answer, then add a follow-up."""
        await interaction.response.defer(ephemeral=True)
        await interaction.edit_original_response(content="thought")
        await interaction.followup.send("and more")

    @app_commands.command()
    async def say(self, interaction: Interaction, what: str) -> None:
        """Say anything, however long: limits are for Discord to keep."""
        await interaction.response.send_message(embed=discord.Embed(title=what))

    @app_commands.command()
    async def silent(self, interaction: Interaction) -> None:
        """Never answer."""

    @app_commands.command()
    async def form(self, interaction: Interaction) -> None:
        """Show a modal."""
        await interaction.response.send_modal(Form())

    @app_commands.command()
    async def picture(self, interaction: Interaction) -> None:
        """Send a file with a text for those who cannot see it."""
        file = discord.File(io.BytesIO(b"png"), "bars.png", description="bars")
        embed = discord.Embed(title="Bars").set_image(url="attachment://bars.png")
        await interaction.response.send_message(embed=embed, file=file)


@app_commands.context_menu(name="Estimate this")
async def estimate_this(interaction: Interaction, message: discord.Message) -> None:
    """Answer about somebody's message."""
    await interaction.response.send_message(f"about: {message.content}")


class TinyBot(discord.AutoShardedClient):
    """Every context, no intents, no waits."""

    def __init__(self, *, sync: bool = True, **options: Any) -> None:  # noqa: ANN401
        super().__init__(intents=discord.Intents.none(), guild_ready_timeout=0, **options)
        self.tree = app_commands.CommandTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        self.tree.add_command(Vram(name="vram", description="Memory"))
        self.tree.add_command(estimate_this)
        self.failures: asyncio.Queue[BaseException] = asyncio.Queue()
        self.sync = sync
        self.tree.error(self.note)

    async def note(self, _interaction: discord.Interaction[Any], error: Exception) -> None:
        self.failures.put_nowait(error.__cause__ or error)

    async def failure(self) -> BaseException:
        """What the next command that failed failed with."""
        async with asyncio.timeout(5):
            return await self.failures.get()

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Again)
        if self.sync:
            await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the five seconds that Discord wants between two shards."""


@asynccontextmanager
async def running(standin: StandIn, bot: discord.Client) -> AsyncIterator[asyncio.Task[None]]:
    """Connect a bot, and disconnect it at the end; yields what `start` ends with."""
    with aimed_at(standin):
        task = asyncio.create_task(bot.start(standin.token))
        try:
            yield task
        finally:
            await bot.close()
            await asyncio.wait([task], timeout=LEAVE_WITHIN_S)
            if not task.done():  # a client that never got through tries for ever, closed or not
                task.cancel()
                await asyncio.wait([task])
