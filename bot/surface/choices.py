"""What Discord lists under an option while it is typed: what was understood so far."""

from collections.abc import Iterable, Iterator

from discord.app_commands import Choice

from bot.presenting.presentation import Presentation, Refusal
from bot.surface.limits import MOST_CHOICE, MOST_CHOICES, cut


def understood_choices(typed: str, shown: Presentation | Refusal) -> list[Choice[str]]:
    """First what `typed` means and takes, or what is wrong with it; then lines to take.

    The first keeps the words as they were typed; where those are too long for a choice,
    it is the line that says the same.
    """
    return _choices(_of(typed, shown))


def name_choices(names: Iterable[str]) -> list[Choice[str]]:
    """Names as they are."""
    return _choices((name, name) for name in names)


def _of(typed: str, shown: Presentation | Refusal) -> Iterator[tuple[str, str]]:
    if isinstance(shown, Presentation):
        yield f"{shown.total}: {shown.line}", typed if len(typed) <= MOST_CHOICE else shown.line
        return
    if typed.strip():
        yield shown.wrong.replace("`", ""), typed
    for line in shown.lines:
        yield line, line


def _choices(pairs: Iterable[tuple[str, str]]) -> list[Choice[str]]:
    """Choices that Discord takes: short enough, each once, not too many."""
    kept = {value: name for name, value in pairs if 0 < len(value) <= MOST_CHOICE}
    choices = [Choice(name=cut(name, MOST_CHOICE), value=value) for value, name in kept.items()]
    return choices[:MOST_CHOICES]
