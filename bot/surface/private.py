"""What only the asker sees: errors, and answers to what can no longer be answered."""

from bot.locale import Locale
from bot.localised import typed_in
from bot.presenting.presentation import Refusal
from bot.surface.embed import COMMAND
from bot.surface.limits import MOST_CONTENT, cut

MOST_WRONG = 900  # characters of the sentence that says what is wrong
MOST_LINE = 400  # characters of each line below it


def refusal_text(shown: Refusal) -> str:
    """What is wrong, what was understood, and one line to type instead; others below it."""
    first, *others = shown.lines
    parts = [
        f"**{cut(shown.wrong, MOST_WRONG)}**",
        f"{shown.understood_heading}: `{cut(shown.understood, MOST_LINE)}`",
        f"{shown.type_heading}: {typed(first)}",
        *map(typed, others),
    ]
    return cut("\n".join(parts), MOST_CONTENT)


def typed(line: str) -> str:
    """A line as it is typed into Discord."""
    return f"`{cut(f'{COMMAND} {line}', MOST_LINE)}`"


def sentence(locale: Locale, key: str, line: str, **values: object) -> str:
    """A sentence of `[discord]` that ends in a line to type."""
    return locale.say_on_discord(key, line=typed(typed_in(line, locale)), **values)
