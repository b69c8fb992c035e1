"""What is read of a text with a paste in it, or why it is not."""

from functools import cache
from typing import Any

from bot.ask import Desk, open_desk
from bot.replies import Refused, Replied


@cache
def desk() -> Desk:
    return open_desk()


def asked(text: str) -> tuple[dict[str, Any], str]:
    found = desk().ask(text)
    assert isinstance(found, Replied), found.shown
    return dict(found.fields), " ".join(found.notes)


def wrong(text: str) -> tuple[str, str]:
    found = desk().ask(text)
    assert isinstance(found, Refused)
    return found.code, found.refusal.wrong
