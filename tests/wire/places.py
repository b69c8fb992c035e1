"""Where an interaction happens, and which fields that gives it."""

from dataclasses import dataclass, field
from enum import StrEnum

from tests.wire.clock import snowflake
from tests.wire.people import Bot, Json, Person

GUILD_CONTEXT, BOT_DM_CONTEXT, PRIVATE_CONTEXT = 0, 1, 2
GUILD_INSTALL, USER_INSTALL = 0, 1


class Where(StrEnum):
    """The four contexts. In a foreign guild the application is no member: a user brought it."""

    GUILD = "guild"
    BOT_DM = "bot_dm"
    GROUP_DM = "group_dm"
    FOREIGN_GUILD = "foreign_guild"


MEMBER_OF = (Where.GUILD, Where.BOT_DM)  # elsewhere the application has only its interactions
CONTEXTS = {
    Where.GUILD: GUILD_CONTEXT,
    Where.BOT_DM: BOT_DM_CONTEXT,
    Where.GROUP_DM: PRIVATE_CONTEXT,
    Where.FOREIGN_GUILD: GUILD_CONTEXT,
}


@dataclass
class Places:
    """The guilds and channels there are."""

    guild_id: str = field(default_factory=snowflake)
    foreign_guild_id: str = field(default_factory=snowflake)
    channel_ids: dict[Where, str] = field(
        default_factory=lambda: {where: snowflake() for where in Where}
    )

    def guild_of(self, where: Where, guild_id: str | None = None) -> str | None:
        """The id of the guild, or None in direct messages."""
        match where:
            case Where.GUILD:
                return guild_id or self.guild_id
            case Where.FOREIGN_GUILD:
                return guild_id or self.foreign_guild_id
            case Where.BOT_DM | Where.GROUP_DM:
                return None

    def said_in(self, message: Json) -> Json | None:
        """A message of the bot as an event; None where the application is no member."""
        where = next(w for w, known in self.channel_ids.items() if known == message["channel_id"])
        guild = self.guild_of(where)
        if where not in MEMBER_OF:
            return None
        return message if guild is None else {**message, "guild_id": guild}

    def fields(self, where: Where, by: Person, bot: Bot, guild_id: str | None = None) -> Json:
        """What an interaction says of its place and of who acts."""
        guild = self.guild_of(where, guild_id)
        common = {
            "channel_id": self.channel_ids[where],
            "channel": self.channel(where, by, bot, guild),
            "app_permissions": "2248473465835073",
            "locale": by.locale,
            "context": CONTEXTS[where],
            "authorizing_integration_owners": owners(where, by, guild),
            "entitlements": [],
        }
        if guild is None:
            return {**common, "user": by.user()}
        return {
            **common,
            "guild_id": guild,
            "guild": {"id": guild, "locale": "en-US", "features": []},
            "guild_locale": "en-US",
            "member": by.member(),
        }

    def channel(self, where: Where, by: Person, bot: Bot, guild: str | None) -> Json:
        """The partial channel."""
        channel: Json = {"id": self.channel_ids[where], "last_message_id": None, "flags": 0}
        match where:
            case Where.GUILD | Where.FOREIGN_GUILD:
                return {
                    **channel,
                    "type": 0,
                    "guild_id": guild,
                    "name": "general",
                    "position": 0,
                    "parent_id": None,
                    "topic": None,
                    "nsfw": False,
                    "rate_limit_per_user": 0,
                    "permissions": "2248473465835073",
                }
            case Where.BOT_DM:
                return {**channel, "type": 1, "recipients": [bot.user()]}
            case Where.GROUP_DM:
                return {
                    **channel,
                    "type": 3,
                    "name": "a group",
                    "icon": None,
                    "owner_id": by.id,
                    "recipients": [by.user()],
                }


def owners(where: Where, by: Person, guild: str | None) -> dict[str, str]:
    """By whose install the application is here."""
    match where:
        case Where.GUILD:
            assert guild is not None
            return {str(GUILD_INSTALL): guild}
        case Where.BOT_DM:
            return {str(GUILD_INSTALL): "0"}
        case Where.GROUP_DM | Where.FOREIGN_GUILD:
            return {str(USER_INSTALL): by.id}


def guild(guild_id: str, bot: Bot) -> Json:
    """A whole guild, as GUILD_CREATE carries it."""
    everyone = {
        "id": guild_id,
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "permissions": "2248473465835073",
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
    lists = (
        "emojis stickers features channels threads voice_states presences stage_instances"
        " guild_scheduled_events soundboard_sounds"
    )
    return {
        **{name: [] for name in lists.split()},
        "id": guild_id,
        "name": "a guild",
        "icon": None,
        "owner_id": "1",
        "roles": [everyone],
        "members": [{**Person(bot.name, id=bot.id).member(), "user": bot.user()}],
        "member_count": 2,
        "large": False,
        "unavailable": False,
        "joined_at": "2024-01-01T00:00:00.000000+00:00",
        "preferred_locale": "en-US",
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "vanity_url_code": None,
        "description": None,
        "banner": None,
        "splash": None,
        "discovery_splash": None,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "application_id": None,
    }
