"""What a bot said to one interaction, as a test looks at it."""

from typing import Any

from tests.wire.callbacks import Exchange
from tests.wire.messages import EPHEMERAL, Message
from tests.wire.observed import PATIENCE_S
from tests.wire.people import Json


class Reply:
    """A live view: edits and follow-ups that come later show as well."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange

    @property
    def type(self) -> int:
        """The type of the callback."""
        assert self.exchange.callback_type is not None
        return self.exchange.callback_type

    @property
    def data(self) -> Json:
        """The callback's data, as the bot sent it."""
        return self.exchange.callback_data

    @property
    def status(self) -> int | None:
        """The HTTP status that the callback got."""
        return self.exchange.status

    @property
    def after_s(self) -> float:
        """How long the callback took to come."""
        assert self.exchange.after_s is not None
        return self.exchange.after_s

    @property
    def stored(self) -> Message | None:
        """The message that answers, with what the bot sent over all edits."""
        return self.exchange.original

    @property
    def message(self) -> Json:
        """The whole message as others see it now; empty where there is none."""
        return self.exchange.original.stored if self.exchange.original else {}

    @property
    def content(self) -> str:
        return str(self.message.get("content") or "")

    @property
    def embeds(self) -> list[Json]:
        embeds: list[Json] = self.message.get("embeds") or []
        return embeds

    @property
    def components(self) -> list[Json]:
        components: list[Json] = self.message.get("components") or []
        return components

    @property
    def ephemeral(self) -> bool:
        return bool(self.message.get("flags", 0) & EPHEMERAL)

    @property
    def choices(self) -> list[Json]:
        choices: list[Json] = self.data.get("choices") or []
        return choices

    @property
    def edits(self) -> list[Json]:
        """The bodies of all edits, in order."""
        return self.exchange.edits

    @property
    def followups(self) -> list[Json]:
        """The messages that followed, as others see them."""
        return [message.stored for message in self.exchange.followups]

    @property
    def interaction(self) -> Json:
        """What the bot was sent."""
        return self.exchange.interaction

    async def finished(self, timeout: float = PATIENCE_S) -> "Reply":  # noqa: ASYNC109
        """Wait until a deferred answer has come."""
        await self.until(lambda: not self.thinking, timeout)
        return self

    async def until(self, holds: Any, timeout: float = PATIENCE_S) -> None:  # noqa: ANN401, ASYNC109
        """Wait until something holds of this reply."""
        await self.exchange.changed.until(holds, timeout, "the reply to change")

    @property
    def thinking(self) -> bool:
        return bool(self.exchange.original and self.exchange.original.loading)
