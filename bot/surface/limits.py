"""Discord's limits on what is sent, and cutting to them.

Source of the numbers: https://discord.com/developers/docs/resources/message#embed-object
and https://discord.com/developers/docs/interactions/application-commands.
"""

from collections.abc import Iterable, Iterator

MOST_CONTENT = 2000
MOST_EMBED = 6000  # characters over all embeds of a message
MOST_TITLE = 256
MOST_DESCRIPTION = 4096
MOST_FIELD = 1024
MOST_CHOICES = 25
MOST_CHOICE = 100  # characters of a choice's name, and of its value
MOST_QUERY = 6000  # of an option, and what reading takes
MOST_PASTED = 6000  # of an option that a log is pasted into: all it may hold
MOST_OPTIONS = 25  # of a select
MOST_OPTION = 100  # characters of an option's label, of its value, of its description
MOST_LABEL = 38  # of a button's label; Discord takes 80, and shows about so many
MOST_HINT = 150  # of a select's placeholder
MOST_ALT = 1024  # of what a file shows, in words
MOST_WORDS = 100  # of an option in words of one's own

ELLIPSIS = "…"
FENCE = "```"


def cut(text: str, most: int) -> str:
    """`text` in at most `most` characters, ended by an ellipsis; no code span stays open."""
    if len(text) <= most:
        return text
    kept = text[: max(0, most - 2)].rstrip()
    return f"{kept}{ELLIPSIS}`" if kept.count("`") % 2 else f"{kept}{ELLIPSIS}"


def fit(parts: Iterable[str], most: int, separator: str = "\n") -> str:
    """The first of `parts` that go into `most` characters; where some don't, it ends in `…`."""
    whole = list(parts)
    if len(separator.join(whole)) <= most:
        return separator.join(whole)
    kept: list[str] = []
    for part in whole:
        if len(separator.join([*kept, part, ELLIPSIS])) > most:
            break
        kept.append(part)
    return separator.join([*kept, ELLIPSIS]) if kept else cut(f"{whole[0]}{ELLIPSIS}", most)


def pages(parts: Iterable[str], most: int, separator: str = "\n") -> Iterator[str]:
    """All of `parts`, on as many pages of at most `most` characters as they need."""
    page = ""
    for part in parts:
        longer = f"{page}{separator}{part}" if page else part
        if len(longer) > most and page:
            yield page
            longer = part
        page = cut(longer, most)
    if page:
        yield page
