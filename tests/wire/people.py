"""Who talks to the bot, and the bot itself, as Discord describes them."""

import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

from tests.wire.clock import snowflake

Json = dict[str, Any]
MEMBER = 2248473465835073  # what a member usually may
MANAGE_GUILD = 1 << 5


@dataclass(frozen=True)
class Person:
    """Somebody with an account."""

    name: str
    locale: str = "en-US"
    id: str = field(default_factory=snowflake)
    manages: bool = False  # the guild

    def user(self) -> Json:
        return user(self.id, self.name)

    def member(self) -> Json:
        """The person in a guild, as interactions carry it."""
        return {
            **partial_member(),
            "permissions": str(MEMBER | (MANAGE_GUILD if self.manages else 0)),
            "user": self.user(),
            "deaf": False,
            "mute": False,
        }


@dataclass(frozen=True)
class Bot:
    """The application, its user, and the one token that is valid."""

    name: str = "stand-in bot"
    id: str = field(default_factory=snowflake)

    def __post_init__(self) -> None:
        object.__setattr__(self, "token", self.new_token())

    token: str = field(init=False)

    def new_token(self) -> str:
        """Three parts with dots, the first of them the id, as real ones are."""
        first = urlsafe_b64encode(self.id.encode()).decode().rstrip("=")
        return f"{first}.{secrets.token_urlsafe(5)[:6]}.{secrets.token_urlsafe(30)[:38]}"

    def user(self) -> Json:
        return {**user(self.id, self.name), "bot": True}

    def application(self) -> Json:
        return {
            "id": self.id,
            "name": self.name,
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "owner": user("1", "owner"),
            "team": None,
            "flags": 0,
            "summary": "",
            "integration_types_config": {"0": {}, "1": {}},
            "approximate_guild_count": 1,
            "approximate_user_install_count": 1,
        }


def user(user_id: str, name: str) -> Json:
    return {
        "id": user_id,
        "username": name,
        "global_name": name.title(),
        "discriminator": "0",
        "avatar": None,
        "public_flags": 0,
        "bot": False,
    }


def partial_member() -> Json:
    """A member as `resolved` carries it."""
    return {
        "roles": [],
        "permissions": str(MEMBER),
        "flags": 0,
        "joined_at": "2024-01-01T00:00:00.000000+00:00",
        "nick": None,
        "avatar": None,
        "premium_since": None,
        "pending": False,
        "communication_disabled_until": None,
    }


def partial_guild(guild_id: str) -> Json:
    """A guild as a list of one's own has it."""
    return {
        "id": guild_id,
        "name": f"guild {guild_id}",
        "icon": None,
        "banner": None,
        "owner": False,
        "permissions": str(MEMBER),
        "features": [],
    }
