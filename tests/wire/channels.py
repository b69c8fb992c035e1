"""Messages that a bot posts in a channel, as Discord takes or refuses them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.wire.errors import ApiError, invalid_form
from tests.wire.files import Upload, not_found
from tests.wire.message_limits import check_message, check_posted
from tests.wire.messages import Message, create
from tests.wire.people import Json
from tests.wire.places import MEMBER_OF, Where
from tests.wire.shapes import Violation

if TYPE_CHECKING:
    from tests.wire.world import World

REPLY, DEFAULT = 19, 0
CAN_BE_REPLIED_TO = (0, 19, 20, 23)
NONCE_S = 300.0  # for which a nonce is held against others: "the past few minutes"
EVERYTHING = {"parse": ["users", "roles", "everyone"], "replied_user": True}


@dataclass
class Permissions:
    """What the bot may do in a channel. In a direct message, `send`: the person lets it."""

    view: bool = True
    send: bool = True
    embed: bool = True
    attach: bool = True
    history: bool = True


class Channels:
    """Judges what is posted, and keeps it."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._by_nonce: dict[str, tuple[float, Message]] = {}

    def post(
        self, channel_id: str, body: Mapping[str, Any], uploads: Sequence[Upload]
    ) -> tuple[Message, bool]:
        """The message, and whether it is new: a nonce that was used gives what there is."""
        where = self._where(channel_id)
        self._world.judge("message", check_posted(body))
        self._permitted(where, channel_id, body, uploads)
        nonce = str(body["nonce"]) if body.get("nonce") is not None else None
        now = self._world.clock.now()
        if nonce is not None and body.get("enforce_nonce") and nonce in self._by_nonce:
            at, before = self._by_nonce[nonce]
            if now - at <= NONCE_S and not before.deleted:
                return before, False
        reference = self._reference(channel_id, body.get("message_reference"))
        message = self._world.messages.add(self._made(channel_id, body, uploads, reference))
        if nonce is not None:
            message.stored["nonce"] = body["nonce"]
            self._by_nonce[nonce] = (now, message)
        return message, True

    def fetch(self, channel_id: str, message_id: str) -> Message:
        """A message that is there, for who may read what was said before."""
        may = self._world.permissions.get(channel_id, Permissions())
        if not may.view or not may.history:
            raise ApiError(403, 50001, "Missing Access")
        found = self._world.messages.by_id.get(message_id)
        if found is None or found.stored["channel_id"] != channel_id:
            raise ApiError(404, 10008, "Unknown Message")
        return found

    def edit(
        self,
        channel_id: str,
        message_id: str,
        body: Mapping[str, Any],
        uploads: Sequence[Upload],
    ) -> Message:
        """Change one of the bot's own; it needs the rights that it would need to post it."""
        self._world.judge("edit", check_message(body, partial=True))
        message = self._world.messages.by_id.get(message_id)
        if message is None or message.stored["channel_id"] != channel_id:
            raise ApiError(404, 10008, "Unknown Message")
        if message.stored["author"]["id"] != self._world.bot.id:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        self._permitted(self._where(channel_id), channel_id, body, uploads)
        kept = message.stored["attachments"]
        self._world.judge("attachments", not_found(body, uploads, kept))
        keep, origin = self._world.files.keep, self._world.origin
        files = [keep(origin, each.filename, each.content, part=each.part) for each in uploads]
        message.change(body, files)
        self._world.changed.tell()
        return message

    def posted(self, channel_id: str | None = None) -> Iterator[Message]:
        """What the bot posted, in one channel or in all."""
        for message in self._world.messages.by_id.values():
            own = message.stored["author"]["id"] == self._world.bot.id
            here = channel_id in (None, message.stored["channel_id"])
            if own and here and "webhook_id" not in message.stored and message.by_api:
                yield message

    def _made(
        self,
        channel_id: str,
        body: Mapping[str, Any],
        uploads: Sequence[Upload],
        reference: Message | None,
    ) -> Message:
        keep, origin = self._world.files.keep, self._world.origin
        files = [keep(origin, each.filename, each.content, part=each.part) for each in uploads]
        allowed = body.get("allowed_mentions") or EVERYTHING
        fixed: Json = {"channel_id": channel_id, "author": self._world.bot.user(), "type": DEFAULT}
        if reference is not None:
            fixed |= {
                "type": REPLY,
                "message_reference": {
                    "type": 0,
                    "message_id": reference.id,
                    "channel_id": channel_id,
                },
                "referenced_message": reference.stored,
            }
        message = create({**body, "allowed_mentions": allowed}, files, **fixed)
        message.by_api = True
        if reference is not None and allowed.get("replied_user"):
            message.stored["mentions"].append(reference.stored["author"])
        return message

    def _where(self, channel_id: str) -> Where:
        for where, known in self._world.places.channel_ids.items():
            if known == channel_id:
                return where
        raise ApiError(404, 10003, "Unknown Channel")

    def _permitted(
        self, where: Where, channel_id: str, body: Mapping[str, Any], uploads: Sequence[Upload]
    ) -> None:
        may = self._world.permissions.get(channel_id, Permissions())
        if where not in MEMBER_OF or not may.view:
            raise ApiError(403, 50001, "Missing Access")
        if where is Where.BOT_DM and not may.send:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        if not may.send or (not may.embed and body.get("embeds")) or (not may.attach and uploads):
            raise ApiError(403, 50013, "Missing Permissions")
        if not may.history and body.get("message_reference"):
            raise ApiError(403, 160002, "Cannot reply without permission to read message history")

    def _reference(self, channel_id: str, said: Mapping[str, Any] | None) -> Message | None:
        """The message that is replied to; one that is gone is an error, unless that is waived."""
        if said is None:
            return None
        found = self._world.messages.by_id.get(str(said["message_id"]))
        if found is None or found.stored["channel_id"] != channel_id:
            if said.get("fail_if_not_exists") is False:
                return None
            raise _wrong_reference("REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        if found.stored["type"] not in CAN_BE_REPLIED_TO:
            words = "Cannot reply to a system message"
            raise _wrong_reference("REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", words)
        return found


def _wrong_reference(code: str, words: str) -> ApiError:
    return invalid_form([Violation("message_reference", code, words)])
