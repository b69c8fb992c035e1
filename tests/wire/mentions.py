"""Who is pinged by a message: the mentions in its text that it may make."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.people import Bot, Json, user

USER, ROLE = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(everyone|here)")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)  # within it nobody is mentioned
DEFAULT = {"parse": ["users"]}  # of answers to interactions


def pinged(text: str, allowed: Mapping[str, Any] | None) -> Json:
    """The three fields of a message that name those who are pinged."""
    allowed = DEFAULT if allowed is None else allowed
    parse = allowed.get("parse") or ()
    users, roles = allowed.get("users") or (), allowed.get("roles") or ()
    return {
        "mentions": [
            user(each, "somebody")
            for each in dict.fromkeys(USER.findall(text))
            if "users" in parse or each in map(str, users)
        ],
        "mention_roles": [
            each
            for each in dict.fromkeys(ROLE.findall(text))
            if "roles" in parse or each in map(str, roles)
        ],
        "mention_everyone": "everyone" in parse and bool(EVERYONE.search(text)),
    }


def written_to(text: str, bot: Bot) -> Iterator[Json]:
    """The users whom a person's text mentions, each once; none within code."""
    for each in dict.fromkeys(USER.findall(CODE.sub("", text))):
        yield bot.user() if each == bot.id else user(each, "somebody")
