"""The console: lines are typed and answered until the input ends."""

import re
import sys
from contextlib import suppress
from typing import assert_never

from rich.console import Console
from rich.text import Text

from bot.ask import Answered, Desk
from bot.asking import ask_and_wait, heard
from bot.compiled import compiled
from bot.locale import Locale
from bot.presenting.explanation import Contents, Explanation
from bot.presenting.presentation import Comparison, OomExplanation, Overview, Presentation, Refusal
from bot.presenting.record import said_record
from bot.presenting.sheet import Sheet
from bot.presenting.spoken import spoken
from bot.record import load_record
from bot.surface.terminal import (
    MARKS,
    show,
    show_comparison,
    show_contents,
    show_explanation,
    show_help,
    show_overview,
    show_refusal,
)
from bot.surface.terminal_oom import show_oom
from bot.surface.terminal_sheet import show_sheet

PROMPT = "vram> "
GREETING = ("hi", "hello")
HELPING = compiled(r"(?:/?\s*vram\s+)?/?(?:help|\?)", re.IGNORECASE)  # also as on Discord
LEARNING = compiled(r"(?:/?\s*vram\s+)?/?learn", re.IGNORECASE)
TEAM = compiled(r"/?\s*(?:vram\s+)?/?team(?:\s.*)?", re.IGNORECASE | re.DOTALL)
MEASURED = compiled(r"(?:/?\s*vram\s+)?/?measured(?:\s+(?P<rest>.+))?", re.IGNORECASE | re.DOTALL)
LEAVING = ("exit", "quit")
WELCOME = (
    "Ask what training or serving a model takes, such as [cyan]train 7B adam lora[/] or "
    "[cyan]infer 8B q4_k_m ctx 8k[/]. [cyan]help[/] says more; leave with "
    "[cyan]exit[/]."
)


def converse(desk: Desk, console: Console) -> int:
    """Answer line after line; an interrupted or ended input leaves quietly."""
    if sys.stdin is None:  # closed by whoever started this
        return 0
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401, PLC0415  (gives `input` a history where it exists)
        console.print(WELCOME)
    while True:
        try:
            line = input(PROMPT if sys.stdin.isatty() else "")
        except (EOFError, KeyboardInterrupt):
            console.print()
            return 0
        if line.strip().casefold() in LEAVING:
            return 0
        if line.strip().casefold() in GREETING:
            console.print(WELCOME)
            continue
        if HELPING.fullmatch(line.strip()):
            help_page(desk, console)
            continue
        if LEARNING.fullmatch(line.strip()):
            whole_walk(desk, console)
            continue
        if line.strip():
            reply(desk, line, console)


def help_page(desk: Desk, console: Console) -> None:
    """Print what can be asked, as `/vram help` says it."""
    locale = desk.locale
    right = f"{said_record(load_record(), locale)}\n{locale.say('record_means')}"
    show_help(locale.help, right, console)


def whole_walk(desk: Desk, console: Console) -> None:
    """Print the steps of `/vram learn`, one below the other."""
    from bot.learning.teach import walk  # noqa: PLC0415  (a question does without it)
    from bot.surface.terminal_learn import show_walk  # noqa: PLC0415

    show_walk(spoken(walk(desk.catalog, desk.locale), desk.locale), console)


def reply(desk: Desk, line: str, console: Console) -> bool:
    """Show the answer to `line`, in its language; whether there was one."""
    measured = MEASURED.fullmatch(line.strip())
    if measured is not None:
        said = measured["rest"] or ""
        return compare_measured(heard(desk, said), said, console)
    desk = heard(desk, line)
    if TEAM.fullmatch(line.strip()):
        console.print(Text(MARKS.sub("", desk.locale.say_on_discord("only_there"))))
        return False
    return display(ask_and_wait(desk, line), console, desk.locale)


def compare_measured(desk: Desk, text: str, console: Console) -> bool:
    """Show a measured peak beside its estimate, which a terminal does not keep."""
    import asyncio  # noqa: PLC0415  (other questions do not wait for it)

    from bot.measuring.measuring import measured  # noqa: PLC0415  (likewise)

    said = asyncio.run(measured(desk, text, None, "", None))
    match shown := spoken(said, desk.locale, listed=True):
        case Sheet():
            show_sheet(shown, console)
        case Refusal():
            show_refusal(shown, console)
        case _:
            console.print(Text(MARKS.sub("", shown)))
    return isinstance(said, Sheet)


def display(answered: Answered, console: Console, locale: Locale) -> bool:
    """Show what came back, in a language; whether that is an answer."""
    match shown := spoken(answered.shown, locale, listed=True):
        case Presentation():
            show(shown, console)
        case Comparison():
            show_comparison(shown, console)
        case Overview():
            show_overview(shown, console)
        case Explanation():
            show_explanation(shown, console)
        case Contents():
            show_contents(shown, console)
        case OomExplanation():
            show_oom(shown, console)
        case Refusal():
            show_refusal(shown, console)
        case _:
            assert_never(shown)
    return not isinstance(shown, Refusal)
