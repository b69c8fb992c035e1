"""The console: lines are typed and answered until the input ends."""

import re
import sys
from contextlib import suppress

from rich.console import Console

from bot.ask import Answered, Desk, Explained, OomExplained, Replied, Tabled, Weighed
from bot.asking import ask_and_wait
from bot.presenting.record import said_record
from bot.record import load_record
from bot.surface.terminal import (
    show,
    show_comparison,
    show_explanation,
    show_help,
    show_overview,
    show_refusal,
)
from bot.surface.terminal_oom import show_oom

PROMPT = "vram> "
GREETING = ("hi", "hello")
HELPING = re.compile(r"(?:/?\s*vram\s+)?/?(?:help|\?)", re.IGNORECASE)  # also as on Discord
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
        if line.strip():
            reply(desk, line, console)


def help_page(desk: Desk, console: Console) -> None:
    """Print what can be asked, as `/vram help` says it."""
    show_help(desk.locale.help, said_record(load_record(), desk.locale), console)


def reply(desk: Desk, line: str, console: Console) -> bool:
    """Show the answer to `line`; whether there was one."""
    return display(ask_and_wait(desk, line), console)


def display(answered: Answered, console: Console) -> bool:
    """Show what came back; whether that is an answer."""
    if isinstance(answered, Replied):
        show(answered.presentation, console)
        return True
    if isinstance(answered, Weighed):
        show_comparison(answered.comparison, console)
        return True
    if isinstance(answered, Tabled):
        show_overview(answered.overview, console)
        return True
    if isinstance(answered, Explained):
        show_explanation(answered.explanation, console)
        return True
    if isinstance(answered, OomExplained):
        show_oom(answered.explanation, console)
        return True
    show_refusal(answered.refusal, console)
    return False
