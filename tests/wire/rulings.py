"""What Discord says to each call about an interaction, and what the call changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.wire.callbacks import (
    CHOICES,
    FOLLOW_UPS_OF_USER_INSTALLS,
    MESSAGE,
    MODAL,
    THINK,
    UPDATE,
    UPDATE_LATER,
    Exchange,
    State,
)
from tests.wire.errors import (
    ApiError,
    already_acknowledged,
    invalid_form,
    unknown_interaction,
    unknown_message,
    unknown_webhook,
)
from tests.wire.files import Upload, not_found
from tests.wire.limits import check_callback, check_message
from tests.wire.messages import COMPONENTS_V2, EPHEMERAL, LOADING, Message, create
from tests.wire.people import Json
from tests.wire.shapes import Violation, required
from tests.wire.world import World

ORIGINAL = "@original"


class Rulings:
    """Judges callbacks, follow-ups and edits, and keeps the messages they make."""

    def __init__(self, world: World) -> None:
        self._world = world

    def callback(
        self, interaction_id: str, token: str, body: Mapping[str, Any], uploads: Sequence[Upload]
    ) -> Exchange:
        """The first answer. Refused when late, repeated, of the wrong kind or over a limit."""
        exchange = self._world.exchanges.by_id.get(interaction_id)
        if exchange is None or exchange.token != token:
            raise unknown_interaction()
        age_s = self._world.clock.now() - exchange.born
        if exchange.state is not State.NEW:
            raise already_acknowledged()
        if age_s > self._world.settings.answer_within_s:
            raise unknown_interaction()
        if body.get("type") == UPDATE and exchange.source and exchange.source.deleted:
            raise unknown_message()
        kind, data = body.get("type"), body.get("data")
        if isinstance(kind, bool) or not isinstance(kind, int):
            raise self._world.refuse("callback", invalid_form([required("type")]))
        judged = without_nulls(data) if kind == MODAL else data
        if kind == UPDATE and exchange.source and isinstance(data, Mapping):
            judged = _with_what_stays(exchange.source, data)
        self._world.judge(
            f"callback {kind}",
            check_callback(
                kind,
                judged,
                interaction_type=exchange.type,
                from_component=exchange.source is not None,
            ),
        )
        changed = exchange.source if kind == UPDATE else None
        self._check_files(data or {}, uploads, changed, path="data")
        self._apply(exchange, kind, data or {}, self._keep(exchange, uploads))
        exchange.callback_type, exchange.callback_data = kind, dict(data or {})
        exchange.after_s = age_s
        return exchange

    def callback_reply(self, exchange: Exchange) -> Json:
        """The body of an accepted callback, for those who ask for it."""
        interaction: Json = {
            "id": exchange.id,
            "type": exchange.type,
            "channel_id": exchange.interaction["channel_id"],
        }
        if "guild_id" in exchange.interaction:
            interaction["guild_id"] = exchange.interaction["guild_id"]
        message = exchange.original
        if message is None:
            return {"interaction": interaction}
        interaction |= {
            "response_message_id": message.id,
            "response_message_loading": message.loading,
            "response_message_ephemeral": bool(message.stored["flags"] & EPHEMERAL),
        }
        kind = exchange.callback_type
        if kind not in (MESSAGE, UPDATE):
            return {"interaction": interaction}
        return {
            "interaction": interaction,
            "resource": {"type": kind, "message": message.stored},
        }

    def follow_up(self, token: str, body: Mapping[str, Any], uploads: Sequence[Upload]) -> Message:
        """One more message; after a deferred answer the first one becomes that answer."""
        exchange = self._exchange(token)
        if exchange.state is State.THINKING and exchange.original:
            return self.edit(token, ORIGINAL, body, uploads)
        if exchange.only_user_install and len(exchange.followups) >= FOLLOW_UPS_OF_USER_INSTALLS:
            raise self._world.refuse(
                "follow-up",
                ApiError(
                    400, 40094, "This interaction has reached its maximum number of follow-ups"
                ),
            )
        self._world.judge("follow-up", check_message(body))
        self._check_files(body, uploads)
        reference = exchange.original
        message = self._create(exchange, body, self._keep(exchange, uploads), reference)
        exchange.followups.append(message)
        exchange.changed.tell()
        return message

    def edit(
        self, token: str, message_id: str, body: Mapping[str, Any], uploads: Sequence[Upload]
    ) -> Message:
        """Change one of the interaction's own messages."""
        exchange = self._exchange(token)
        message = self._message(exchange, message_id)
        self._world.judge("edit", check_message(_with_what_stays(message, body), partial=True))
        self._check_files(body, uploads, message)
        message.change(body, self._keep(exchange, uploads))
        if message is exchange.original and exchange.state is State.THINKING:
            exchange.state = State.ANSWERED
        exchange.edits.append(dict(body))
        exchange.changed.tell()
        return message

    def fetch(self, token: str, message_id: str) -> Message:
        return self._message(self._exchange(token), message_id)

    def delete(self, token: str, message_id: str) -> None:
        self._world.messages.remove(self._message(self._exchange(token), message_id))

    def _apply(
        self, exchange: Exchange, kind: int, data: Mapping[str, Any], files: Sequence[Json]
    ) -> None:
        exchange.state = State.ANSWERED
        if kind == MESSAGE:
            exchange.original = self._create(exchange, data, files, exchange.source)
        elif kind == THINK:
            exchange.state = State.THINKING
            exchange.original = self._create(
                exchange, {"flags": data.get("flags") or 0}, (), exchange.source
            )
            exchange.original.stored["flags"] |= LOADING
        elif kind == UPDATE_LATER:
            exchange.state = State.UPDATING
            exchange.original = exchange.source
        elif kind == UPDATE:
            exchange.original = exchange.source
            if exchange.source:
                exchange.source.change(data, files)
        elif kind == MODAL:
            self._world.exchanges.modals[data["custom_id"]] = (dict(data), exchange)

    def _create(
        self,
        exchange: Exchange,
        body: Mapping[str, Any],
        files: Sequence[Json],
        reference: Message | None,
    ) -> Message:
        bot = self._world.bot
        channel_id = exchange.interaction["channel_id"]
        fixed: Json = {
            "type": exchange.message_type(),
            "channel_id": channel_id,
            "author": bot.user(),
            "webhook_id": bot.id,
            "application_id": bot.id,
            "interaction_metadata": exchange.metadata(),
        }
        if reference is not None:
            fixed["type"] = 19
            fixed["message_reference"] = {
                "type": 0,
                "channel_id": channel_id,
                "message_id": reference.id,
            }
        return self._world.messages.add(create(body, files, **fixed))

    def _check_files(
        self,
        body: Mapping[str, Any],
        uploads: Sequence[Upload],
        message: Message | None = None,
        *,
        path: str = "",
    ) -> None:
        """Attachments that are listed are there, and a message that is changed shows something."""
        kept = message.stored["attachments"] if message else []
        listed = body.get("attachments")
        self._world.judge("attachments", not_found(body, uploads, kept, path))
        if message is not None:
            shown = {**message.sent, **body}
            words = any(shown.get(key) for key in ("content", "embeds", "components", "poll"))
            if not (words or uploads or (kept if listed is None else listed)):
                self._world.judge(
                    "edit", [Violation(path, "50006", "Cannot send an empty message")]
                )

    def _keep(self, exchange: Exchange, uploads: Sequence[Upload]) -> list[Json]:
        limit = exchange.interaction["attachment_size_limit"]
        if any(len(each.content) > limit for each in uploads):
            raise self._world.refuse("upload", ApiError(413, 40005, "Request entity too large"))
        origin = self._world.origin
        keep = self._world.files.keep
        return [keep(origin, each.filename, each.content, part=each.part) for each in uploads]

    def _exchange(self, token: str) -> Exchange:
        exchange = self._world.exchanges.by_token.get(token)
        if exchange is None:
            raise unknown_webhook()
        if self._world.clock.now() - exchange.born > self._world.settings.token_life_s:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        if exchange.state is State.NEW or exchange.callback_type == CHOICES:
            raise unknown_webhook()
        return exchange

    def _message(self, exchange: Exchange, message_id: str) -> Message:
        own = [exchange.original, *exchange.followups]
        for message in own:
            if message is None or message.deleted:
                continue
            if message_id == message.id or (
                message_id == ORIGINAL and message is exchange.original
            ):
                return message
        raise unknown_message()


def _with_what_stays(message: Message, body: Mapping[str, Any]) -> Json:
    """An edit as it is judged: Components V2 stay for good, and allow no words beside them."""
    flags = (body.get("flags") or 0) | message.stored["flags"] & COMPONENTS_V2
    if not flags & COMPONENTS_V2:
        return dict(body)
    left: Json = {key: message.sent[key] for key in ("content", "embeds") if key in message.sent}
    return {**left, **body, "flags": flags}


def without_nulls(part: Any) -> Any:  # noqa: ANN401 - any part of a payload
    """A form as Discord reads it: the client sends `label: null` for texts within labels."""
    if isinstance(part, Mapping):
        return {key: without_nulls(value) for key, value in part.items() if value is not None}
    if isinstance(part, list):
        return [without_nulls(each) for each in part]
    return part
