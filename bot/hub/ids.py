"""What may be a model's id on the Hub: the Hub's own grammar, and nothing that is a path."""

import re

from bot.compiled import compiled

PART = r"\w(?:[\w.\-]{0,94}\w)?"  # at most 96 characters; neither end is a dot or a hyphen
ID = compiled(rf"{PART}/{PART}", re.ASCII)
NEVER = ("--", "..")
ENDINGS = (".git", ".ipynb")
LONGEST = 120  # characters in all: as much as a row's id, and more than any in use
COMMIT = compiled(r"[0-9a-f]{40}", re.ASCII)
FILE = compiled(r"[\w][\w.\-]{0,199}", re.ASCII)  # of a repository's top folder


def is_id(text: str) -> bool:
    """Whether `text` is `owner/name` as the Hub allows it, and not endless."""
    return (
        len(text) <= LONGEST
        and ID.fullmatch(text) is not None
        and not any(part in text for part in NEVER)
        and not text.casefold().endswith(ENDINGS)
    )


def is_commit(text: object) -> bool:
    """Whether it is a commit's whole hash."""
    return isinstance(text, str) and COMMIT.fullmatch(text) is not None


def is_file(text: str) -> bool:
    """Whether it is a plain file's name: no folder, and nothing that an address would read."""
    return FILE.fullmatch(text) is not None and ".." not in text
