"""Every text that is sent or printed because of what somebody typed, on every surface."""

import asyncio
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

import discord
from rich.console import Console

from bot.ask import Answered, Desk, Refused, Replied
from bot.commands.help import help_embed
from bot.console import compare_measured, display
from bot.measuring.measuring import measured
from bot.pictures.choosing import has_picture, picture_of
from bot.pictures.vega import specification
from bot.presenting.maths import maths_of
from bot.presenting.spoken import spoken
from bot.reading.changing import CHANGES
from bot.reading.options import COMMAND
from bot.reading.suggest import Named
from bot.saying import parts_of
from bot.shown import shown
from bot.store.owner import Owner, OwnerKind
from bot.surface.choices import line_choices, titled_choices, value_choices
from bot.surface.form import wrong_embed
from bot.surface.limits import MOST_CHOICES, MOST_QUERY, MOST_WORDS
from bot.surface.maths import maths_pages
from bot.surface.public import in_words, short_refusal
from bot.teaming import team_reply

SERVER = Owner(OwnerKind.GUILD, 1)
LINES = "train 7B qlora\ninfer 8B Q4_K_M"
OOM, OUT = {COMMAND: "oom"}, "CUDA out of memory. Tried to allocate 2.00 GiB."


def _option(name: str) -> Callable[[str, Desk], Answered]:
    return lambda text, desk: desk.ask("train 7B lora", {name: text[:MOST_WORDS]})


WAYS: Mapping[str, Callable[[str, Desk], Answered]] = {
    "typed": lambda text, desk: desk.ask(text),
    "topic": lambda text, desk: desk.guide.answer(text),
    "log": lambda text, desk: desk.ask(text, OOM),
    "settings": lambda text, desk: desk.ask(OUT, {**OOM, "settings": text}),
    "reply": lambda text, desk: desk.ask(text, {CHANGES: LINES}),
    "side": lambda text, desk: desk.ask(f"compare 7B lora vs {text}"[:MOST_QUERY]),
    "model": _option("model"),
    "gpus": _option("gpus"),
    "precision": _option("precision"),
}
ALL_WAYS = (*WAYS, "measured", "team")


def in_messages(text: str, desk: Desk, way: str) -> Iterator[str]:
    """Each text of the messages that answer it, asked in one of `WAYS`."""
    if way == "measured":
        query = f"7B lora, rtx-4090 {text}"[:MOST_QUERY]
        yield from _of_parts(
            parts_of(asyncio.run(measured(desk, query, text[:MOST_WORDS], "", None)), desk)
        )
    elif way == "team":
        for query in (f"2x 3090 {text}"[:MOST_WORDS], text[:MOST_WORDS]):
            yield asyncio.run(team_reply(desk, SERVER, query, may=True)).text
    else:
        yield from _of_answer(WAYS[way](text, desk), desk)


def in_controls(text: str, desk: Desk) -> Iterator[str]:
    """What buttons and lists say under it, which is shown as it is, without markup."""
    parts = shown(desk.locale, desk.ask(text), private=False)
    view = parts.get("view")
    return iter(()) if view is None else every_text(view.to_components())


def in_lists(text: str, desk: Desk) -> Iterator[str]:
    """Each name that is listed while it is typed."""
    ahead = desk.ahead(text, {})
    said = spoken(ahead.shown, desk.locale, listed=True)
    caution = ahead.unfinished and desk.locale.say_on_discord("unfinished", word=ahead.unfinished)
    topics = ((one.title, one.id) for one in desk.guide.choices(text[:MOST_WORDS], MOST_CHOICES))
    named = (
        ((one.value, one.meaning) for one in desk.suggest(kind, text[:MOST_WORDS], MOST_CHOICES))
        for kind in Named
    )
    choices = chain(
        line_choices(ahead.text, said, ahead.lines, caution),
        titled_choices(topics),
        *(value_choices(values) for values in named),
    )
    return (one.name for one in choices)


def in_forms(typed: str) -> Iterator[str]:
    """A form that was wrong, with what was typed into it."""
    embed = wrong_embed("Wrong.", {"Batch": typed}, "Exact values", "Again", LINES.splitlines())
    return every_text(embed.to_dict())


def in_pictures(text: str, desk: Desk) -> Iterator[str]:
    """What a picture says, and what is said of it."""
    found = desk.ask(text)
    picture = picture_of(found, desk.catalog, desk.locale) if has_picture(found) else None
    if picture is not None:
        yield picture.alt
        yield from every_text(json.loads(specification(picture)))


def in_a_terminal(text: str, desk: Desk, way: str) -> str:
    """What is printed, without colours of our own."""
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False, color_system=None)
    if way == "measured":
        compare_measured(desk, f"7B lora, rtx-4090 {text}"[:MOST_QUERY], console)
    elif way in WAYS:
        display(WAYS[way](text, desk), console, desk.locale)
    return stream.getvalue()


@cache
def help_texts(desk: Desk) -> tuple[str, ...]:
    """The page of `/vram help`: the one place that shows commands as links."""
    return tuple(every_text(help_embed(desk, "1").to_dict()))


def _of_answer(found: Answered, desk: Desk) -> Iterator[str]:
    for private in (True, False):
        yield from _of_parts(shown(desk.locale, found, private=private))
    said = spoken(found.shown, desk.locale)
    if isinstance(found, Refused):
        yield short_refusal(spoken(found.refusal, desk.locale))
    else:
        yield in_words(said)  # type: ignore[arg-type]  # what is no refusal
    if isinstance(found, Replied):
        worked = maths_of(found.answer, found.presentation.line, desk.catalog, desk.locale)
        for page in maths_pages(spoken(worked, desk.locale), desk.locale):
            yield from every_text(page.to_dict())


def _of_parts(parts: Mapping[str, Any]) -> Iterator[str]:
    for part in parts.values():
        if isinstance(part, str):
            yield part
        elif isinstance(part, discord.Embed):
            yield from every_text(part.to_dict())


def every_text(value: object) -> Iterator[str]:
    """Each text within it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from every_text(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from every_text(one)
