"""An answer shown with its picture, which may come a little later."""

from dataclasses import replace

import discord

from bot.ask import Answered, Desk
from bot.delivery import Deliver, Outcome, Send, deliver, deliver_later
from bot.illustrating import Drawing, Illustrator, illustrator_of, in_time
from bot.posting import Post, Posted, post
from bot.surface.illustrated import Image, Parts, changed, posted

Interaction = discord.Interaction[discord.Client]


class Picturing:
    """The picture of an answer to an interaction: begun, sent along or put on it afterwards."""

    def __init__(self, interaction: Interaction, desk: Desk, found: Answered) -> None:
        """Begin to draw what `desk` answered, where the channel takes pictures."""
        self._interaction = interaction
        self._illustrator = illustrator_of(interaction.client)
        self._drawing: Drawing | None = None
        if self._illustrator is not None and interaction.app_permissions.attach_files:
            self._drawing = self._illustrator.begin(found, interaction.channel_id, desk)
        self._image: Image | None = None
        self._turn = self._illustrator.turn() if self._illustrator is not None else 0

    async def take(self, *, over: discord.Message | None = None) -> None:
        """Wait for it for a blink. `over`: a message that will be changed, which loses its own."""
        if over is not None and self._illustrator is not None:
            self._turn = await self._illustrator.overtaken(over.id)
        self._image = await in_time(self._drawing)

    def new(self, parts: Parts) -> Parts:
        """What to send for a new message; again for each try."""
        return posted(parts, self._image)

    def edit(self, parts: Parts) -> Parts:
        """What to edit a message with; again for each try."""
        return changed(parts, self._image)

    async def sent(self, what: object, embed: discord.Embed, outcome: Outcome) -> None:
        """It was sent, and `what` is what discord.py says of it: a late picture follows.

        Nothing is said of what arrived unheard; then Discord is asked.
        """
        if self._illustrator is None or self._drawing is None or self._image is not None:
            return
        message = what.resource if isinstance(what, discord.InteractionCallbackResponse) else what
        if message is None and outcome is Outcome.ACKNOWLEDGED:
            message = await self._asked()
        if isinstance(message, discord.Message):
            number, fetch = message.id, self._interaction.followup.fetch_message
            self._illustrator.late(message, self._drawing, embed, lambda: fetch(number), self._turn)

    async def _asked(self) -> discord.Message | None:
        """The message, as Discord has it; None where it has none."""
        found: list[discord.Message] = []

        async def fetched() -> None:
            found.append(await self._interaction.original_response())

        await deliver_later(fetched, "the message of an answer")
        return found[0] if found else None


async def show(
    interaction: Interaction, desk: Desk, found: Answered, parts: Parts, what: str
) -> None:
    """Answer an interaction at once, for the first time; `what` for the log."""
    picturing, send = Picturing(interaction, desk, found), interaction.response.send_message
    await _show(picturing, parts, what, lambda: send(**picturing.new(parts)), deliver)


async def show_announced(
    interaction: Interaction, desk: Desk, found: Answered, parts: Parts, what: str
) -> None:
    """Put an answer in the place of the announcement that it will come."""
    picturing, send = Picturing(interaction, desk, found), interaction.edit_original_response
    await _show(picturing, parts, what, lambda: send(**picturing.edit(parts)), deliver_later)


async def _show(
    picturing: Picturing, parts: Parts, what: str, send: Send, delivered: Deliver
) -> None:
    await picturing.take()
    sent: object = None

    async def once() -> None:
        nonlocal sent
        sent = await send()

    outcome = await delivered(once, what)
    await picturing.sent(sent, parts["embed"], outcome)


async def show_below(
    asked: discord.Message, said: Post, illustrator: Illustrator, desk: Desk
) -> Posted:
    """Post what `desk` says below the message that asked; an answer with its picture."""
    begin, channel = illustrator.begin, asked.channel.id
    drawing = None if said.found is None else begin(said.found, channel, desk)
    image, turn = await in_time(drawing), illustrator.turn()
    done = await post(asked, replace(said, image=image))
    if done.no_files:
        illustrator.takes_no_files(asked.channel.id)
    sent, embed = done.message, said.embed
    if drawing is not None and image is None and sent is not None and embed is not None:
        number, fetch = sent.id, sent.channel.fetch_message
        if sent.embeds:  # a channel that takes none takes no picture
            illustrator.late(sent, drawing, embed, lambda: fetch(number), turn)
    return done
