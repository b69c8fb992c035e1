"""The commands' names in each language, and the lines that begin with one.

Discord shows a command by its name in one's own language, so lines to be typed begin so. The
program itself knows lines by their English names alone.
"""

from functools import cache

from bot.languages import SPOKEN
from bot.locale import Locale, listed_in, load_locale


def typed_in(line: str, locale: Locale) -> str:
    """A line as who speaks that language types it behind `/vram`."""
    first, space, rest = line.partition(" ")
    words = locale.commands.get(first)
    return f"{words.name}{space}{rest}" if words is not None and words.name else line


def commands_in(locale: Locale) -> dict[str, str]:
    """What each command is called in a language."""
    return {name: words.name or name for name, words in locale.commands.items()}


def in_english(line: str) -> str:
    """A line that somebody was shown in whatever language, with its English name."""
    first, space, rest = line.partition(" ")
    if first in load_locale().commands:
        return line
    return f"{names_in_english().get(first, first)}{space}{rest}"


@cache
def names_in_english() -> dict[str, str]:
    """By their names in each language; all files are read for it."""
    return {
        words.name: command
        for code in SPOKEN
        for command, words in listed_in(code).commands.items()
        if words.name
    }
