"""A slash command → the desk → a reply; and what Discord lists while it is typed."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import discord
from discord import InteractionResponseType, app_commands
from discord.app_commands import Choice

from bot.announcing import announce
from bot.ask import Answered, Desk, Refused
from bot.asking import is_opening, known, looked_up
from bot.delivery import deliver, deliver_later
from bot.desks import desk_for
from bot.ops.answering import refused
from bot.presenting.spoken import spoken
from bot.reading.number_lists import COMPARE
from bot.reading.options import COMMAND, FACTS, Options
from bot.reading.suggest import Named
from bot.remembering import Remembered
from bot.showing import show, show_announced
from bot.shown import shown
from bot.surface.choices import line_choices, titled_choices, value_choices
from bot.surface.limits import MOST_CHOICES, MOST_QUERY, MOST_WORDS
from estimator import Task

Interaction = discord.Interaction[discord.Client]
Listing = Callable[[Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]
Query = app_commands.Range[str, 1, MOST_QUERY]
Words = app_commands.Range[str, 1, MOST_WORDS]
Given = Mapping[str, str | int | None]
PRIVATE = "private"  # an option of every command: whether only the asker sees the answer

# Choices of more than one command.
METHODS = ("full", "lora", "qlora", "dora", "rslora", "galore", "apollo", "lomo")
STRATEGIES = ("ddp", "fsdp", "fsdp2", "zero1", "zero2", "zero3")

# Without an answer, after which one is announced. Discord waits for three seconds, and may take
# calls in the first of them only.
ANNOUNCED_S = 0.8
LISTS = 512  # of one command, that are remembered; about 1 kB each
LARGEST = 2**31 - 1  # of an integer option; what is too much is then said in words
Flag = bool | None  # an option that is said or not
Count = app_commands.Range[int, 1, LARGEST]


async def reply(
    interaction: Interaction, desk: Desk, command: str, query: str, given: Given
) -> None:
    """Answer what was typed behind `/vram`; see `respond`."""
    desk = await desk_for(desk, interaction, to_ask=True)
    said = {name: value for name, value in given.items() if name != PRIVATE}
    private = bool(given.get(PRIVATE))
    what = f"/vram {command}"
    await respond(interaction, desk, what, query, _options(command, said), private=private)


async def respond(
    interaction: Interaction,
    desk: Desk,
    what: str,
    query: str,
    options: Options,
    *,
    private: bool = False,
) -> None:
    """Answer for everyone to see, unless it is `private`; an error for the asker alone.

    `what` was used, for the log.

    Where the Hub has to be asked, or it takes a while, Discord is told first that an answer
    will come; at once right after a start, when all takes a while and some have waited before.
    """
    asking = asyncio.ensure_future(known(desk, query, options))
    done, _ = await asyncio.wait({asking}, timeout=0 if is_opening(desk) else ANNOUNCED_S)
    found, unknown = asking.result() if done else (None, False)
    if found is None or unknown:
        answer = _looked_up(desk, asking, query, options)
        await _reply_later(interaction, desk, answer, what, private=private)
        return
    parts = _parts(interaction, desk, found, private=private)
    if not isinstance(found, Refused):
        await show(interaction, desk, found, {**parts, "ephemeral": private}, what)
    else:
        refused(found.code)
        send = interaction.response.send_message
        await deliver(lambda: send(ephemeral=True, **parts), f"{what}, refused")


def _parts(
    interaction: Interaction, desk: Desk, found: Answered, *, private: bool
) -> dict[str, Any]:
    hidden = not isinstance(found, Refused) and bool(interaction.context.dm_channel)
    return shown(desk.locale, found, private=private or hidden)


async def alone(interaction: Interaction, text: str, what: str) -> None:
    """Say something to the asker alone."""
    send = interaction.response.send_message
    await deliver(lambda: send(text, ephemeral=True), what)


async def _looked_up(
    desk: Desk, asking: asyncio.Future[tuple[Answered, bool]], query: str, options: Options
) -> Answered:
    """What comes of `asking`, with the Hub where it takes that."""
    found, unknown = await asking
    return await looked_up(desk, found, query, options) if unknown else found


async def _reply_later(
    interaction: Interaction,
    desk: Desk,
    answer: Coroutine[Any, Any, Answered],
    what: str,
    *,
    private: bool,
) -> None:
    """The same over the network, or after a while.

    Whether all see a reply is settled when it is announced, and most look-ups find something.
    So it is announced to all; an error takes that back, and is for the asker alone.
    """
    asking = asyncio.create_task(answer)
    try:
        await announce(interaction, what, thinking=True, ephemeral=private)
        found = await asking
    finally:
        asking.cancel()
    parts = _parts(interaction, desk, found, private=private)
    if not isinstance(found, Refused):
        await show_announced(interaction, desk, found, parts, what)
        return
    refused(found.code)
    if private:
        await deliver_later(lambda: interaction.edit_original_response(**parts), what)
        return
    await take_back(interaction, desk, parts, what)


async def take_back(
    interaction: Interaction, desk: Desk, parts: Mapping[str, Any], what: str
) -> None:
    """Say `parts` to the asker alone, in the place of a reply that was announced to all."""
    # Until the announced reply has a text, whatever follows would become it, for all to see.
    aside, follow_up = desk.locale.say_on_discord("aside"), interaction.followup.send
    await deliver_later(lambda: interaction.edit_original_response(content=aside), f"{what}, aside")
    await deliver_later(lambda: follow_up(ephemeral=True, **parts), f"{what}, refused")
    await deliver_later(interaction.delete_original_response, f"{what}, taken back")


def listing_of_query(desk: Desk, command: str) -> Listing:
    """What was understood so far, and lines that go on from it; from memory.

    Many type the same letters, and some type them twice: what was listed lately is listed again.
    """
    lately = Remembered[list[Choice[str]]](LISTS)

    async def understood(interaction: Interaction, typed: str) -> list[Choice[str]]:
        given = {name: value for name, value in interaction.namespace if name in FACTS}
        own, options = await desk_for(desk, interaction), _options(command, given)
        key = own.key_of(typed, options)
        choices = lately.recall(key)
        if choices is None:
            choices = _ahead(own, typed[:MOST_QUERY], options)
            lately.keep(key, choices)
        return await send_list(interaction, choices)

    return understood


def _ahead(desk: Desk, typed: str, options: Options) -> list[Choice[str]]:
    found = desk.ahead(typed, options)
    word = found.unfinished
    caution = desk.locale.say_on_discord("unfinished", word=word) if word else ""
    said = spoken(found.shown, desk.locale, listed=True)
    return line_choices(found.text, said, found.lines, caution)


def listing_of(desk: Desk, kind: Named) -> Listing:
    """Values of one kind that may be meant by what was typed."""

    async def names(interaction: Interaction, typed: str) -> list[Choice[str]]:
        own = await desk_for(desk, interaction)
        found = own.suggest(kind, typed[:MOST_WORDS], MOST_CHOICES)
        return await send_list(interaction, value_choices((o.value, o.meaning) for o in found))

    return names


def listing_of_topics(desk: Desk) -> Listing:
    """Topics that may be meant by what was typed, by their titles."""

    async def topics(interaction: Interaction, typed: str) -> list[Choice[str]]:
        asked = await desk_for(desk, interaction)
        found = asked.guide.choices(typed[:MOST_WORDS], MOST_CHOICES)
        return await send_list(interaction, titled_choices((one.title, one.id) for one in found))

    return topics


async def send_list(interaction: Interaction, choices: list[Choice[str]]) -> list[Choice[str]]:
    """Send the list with the care of other replies; discord.py sends only what has not gone."""
    response = interaction.response
    await deliver(lambda: response.autocomplete(choices), "a list")
    if not response.is_done():  # unheard, or too late: discord.py is not to try it in its own way
        response._response_type = InteractionResponseType.autocomplete_result  # noqa: SLF001
    return choices


def fixed(values: Sequence[str]) -> list[Choice[str]]:
    """A closed set of values, each shown as what it is."""
    return [Choice(name=value, value=value) for value in values]


def _options(command: str, given: Given) -> Options:
    """The options that were given. An empty one, as while it is typed, was not.

    A command that is a task says so; another says its name, and leaves the task to the words.
    """
    said = {name: value for name, value in given.items() if value not in (None, "")}
    own = {"task": command} if command in set(Task) else {COMMAND: command}
    own = {COMPARE: COMPARE} if command == COMPARE else own
    return own | {name: value for name, value in said.items() if value is not None}
