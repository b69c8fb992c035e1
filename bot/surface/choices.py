"""What Discord lists under an option while it is typed: what was understood, and what may follow.

Enter takes the first that is listed, so it says what it stands for.
"""

from collections.abc import Iterable, Iterator, Sequence

from discord.app_commands import Choice

from bot.presenting.explanation import Contents, Explanation
from bot.presenting.presentation import (
    Comparison,
    OomExplanation,
    Overview,
    Presentation,
    Refusal,
    Tone,
)
from bot.surface.limits import MOST_CHOICE, MOST_CHOICES, cut

WORST_FIRST = (Tone.BAD, Tone.CLOSE, Tone.GOOD)
Shown = Presentation | Comparison | Overview | Explanation | Contents | Refusal | OomExplanation
MEANS = " → "  # between a value as it was typed and what it is read as


def line_choices(
    typed: str,
    shown: Shown | None,
    ahead: Sequence[str] = (),
    caution: str = "",
) -> list[Choice[str]]:
    """First what `typed` means and takes, or what is wrong with it; then lines to take.

    The first keeps the words as they were typed; where those are too long for a choice,
    it is the line that says the same. `caution` stands before it: that a word behind it is
    not finished. With nothing `shown`, only the lines `ahead` are listed.
    """
    lines = [*ahead, *(() if shown is None or isinstance(shown, Presentation) else shown.lines)]
    return _choices([*_first(typed, shown, caution), *((line, line) for line in lines)])


def value_choices(values: Iterable[tuple[str, str]]) -> list[Choice[str]]:
    """Values as they are, each with what it means where that is in other words."""
    return _choices((f"{value}{MEANS}{meaning}" if meaning else value, value)
                    for value, meaning in values)  # fmt: skip


def titled_choices(pairs: Iterable[tuple[str, str]]) -> list[Choice[str]]:
    """Values by their titles."""
    return _choices(pairs)


def _first(typed: str, shown: Shown | None, caution: str) -> Iterator[tuple[str, str]]:
    if isinstance(shown, Presentation):
        said = f"{caution}{_verdict(shown)}{shown.total}: {shown.line}"
        yield said, typed if len(typed) <= MOST_CHOICE else shown.line
    elif isinstance(shown, Comparison | Overview):
        yield f"{caution}{shown.headline}", typed if len(typed) <= MOST_CHOICE else shown.lines[0]
    elif isinstance(shown, Explanation | Contents):
        yield f"{caution}{shown.title}", typed if len(typed) <= MOST_CHOICE else shown.lines[0]
    elif isinstance(shown, OomExplanation):
        yield shown.headline, typed
    elif shown is not None and typed.strip():
        yield shown.wrong.replace("`", ""), typed


def _verdict(shown: Presentation) -> str:
    """`no, `: of the cards asked about, where the worst holds; nothing where none was."""
    asked = [card for card in shown.cards if card.asked]
    if not asked:
        return ""
    return f"{min(asked, key=lambda card: WORST_FIRST.index(card.tone)).verdict}, "


def _choices(pairs: Iterable[tuple[str, str]]) -> list[Choice[str]]:
    """Choices that Discord takes: short enough, each once, not too many."""
    kept: dict[str, str] = {}
    for name, value in pairs:
        if value.strip() and len(value) <= MOST_CHOICE:
            kept.setdefault(value, name)
    choices = [Choice(name=cut(name, MOST_CHOICE), value=value) for value, name in kept.items()]
    return choices[:MOST_CHOICES]
