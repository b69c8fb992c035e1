"""What everybody in a channel sees of a question that has no answer: short, and with a way on."""

from bot.presenting.explanation import Contents, Explanation
from bot.presenting.presentation import (
    Comparison,
    OomExplanation,
    Overview,
    Presentation,
    Refusal,
)
from bot.surface.limits import MOST_CONTENT, cut
from bot.surface.private import typed

MOST_WRONG = 300  # characters of the sentence that says what is wrong


def short_refusal(shown: Refusal) -> str:
    """What is wrong in one line, and in another one what to type instead."""
    return f"{cut(shown.wrong, MOST_WRONG)}\n{shown.type_heading}: {typed(shown.lines[0])}"


def in_words(
    shown: Presentation | Comparison | Overview | Explanation | Contents | OomExplanation,
) -> str:
    """The first line of an answer and the line that asks again, where embeds are not allowed."""
    match shown:
        case Presentation():
            first, line = shown.headline, shown.line
        case Explanation():
            first, line = shown.brief, next(iter(shown.lines), "")
        case Contents():
            first, line = shown.title, shown.line
        case _:
            first, line = shown.headline, next(iter(shown.lines), "")
    return cut(f"**{first}**\n{typed(line)}" if line else f"**{first}**", MOST_CONTENT)
