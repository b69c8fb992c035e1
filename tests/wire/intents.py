"""Which events a session hears, by the intents it named."""

from collections.abc import Mapping
from typing import Any

from tests.wire.people import Json

GUILDS = 1 << 0
MESSAGE_CONTENT = 1 << 15
PRIVILEGED = 1 << 1 | 1 << 8 | MESSAGE_CONTENT
KNOWN = sum(1 << bit for bit in (*range(17), 20, 21, 24, 25))
IN_GUILDS = {
    "GUILD_CREATE": GUILDS,
    "GUILD_UPDATE": GUILDS,
    "GUILD_DELETE": GUILDS,
    "CHANNEL_CREATE": GUILDS,
    "CHANNEL_UPDATE": GUILDS,
    "CHANNEL_DELETE": GUILDS,
    "GUILD_MEMBER_ADD": 1 << 1,
    "GUILD_MEMBER_UPDATE": 1 << 1,
    "GUILD_MEMBER_REMOVE": 1 << 1,
    "PRESENCE_UPDATE": 1 << 8,
    "MESSAGE_CREATE": 1 << 9,
    "MESSAGE_UPDATE": 1 << 9,
    "MESSAGE_DELETE": 1 << 9,
    "TYPING_START": 1 << 11,
}
IN_DIRECT_MESSAGES = {
    "MESSAGE_CREATE": 1 << 12,
    "MESSAGE_UPDATE": 1 << 12,
    "MESSAGE_DELETE": 1 << 12,
    "TYPING_START": 1 << 14,
}
CONTENT = {"content": "", "embeds": [], "attachments": [], "components": []}
REPLIED_TO = "referenced_message"


def heard(event: str, data: Any, intents: int, bot_id: str) -> Any:  # noqa: ANN401 - any event
    """The event as a session with these intents hears it, or None if it does not.

    INTERACTION_CREATE and events that are not listed need no intent.
    """
    in_guild = isinstance(data, Mapping) and "guild_id" in data
    named_by = IN_GUILDS if in_guild or event.startswith("GUILD") else IN_DIRECT_MESSAGES
    needed = named_by.get(event, 0)
    if needed and not intents & needed:
        return None
    if event in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and in_guild:
        return data if intents & MESSAGE_CONTENT else without_content(data, bot_id)
    return data


def without_content(message: Mapping[str, Any], bot_id: str) -> Json:
    """A message of others that does not speak to the bot: its words are not for the bot."""
    inner = message.get(REPLIED_TO)
    if inner is not None:
        message = {**message, REPLIED_TO: without_content(inner, bot_id)}
    own = (message.get("author") or {}).get("id") == bot_id
    mentioned = any(each.get("id") == bot_id for each in message.get("mentions") or ())
    if own or mentioned:
        return dict(message)
    blanked = {key: CONTENT.get(key, value) for key, value in message.items()}
    blanked.pop("poll", None)
    return blanked
