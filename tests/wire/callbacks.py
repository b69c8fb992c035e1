"""One interaction from its question to its last edit, and what the bot may do when."""

from dataclasses import dataclass, field
from enum import StrEnum

from tests.wire.changes import Changes
from tests.wire.messages import Message
from tests.wire.people import Json

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5
MESSAGE, THINK, UPDATE_LATER, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
FOLLOW_UPS_OF_USER_INSTALLS = 5


class State(StrEnum):
    """What has been said so far."""

    NEW = "new"  # nothing: for three seconds any one callback is taken
    ANSWERED = "answered"  # a message, an update, choices or a modal
    THINKING = "thinking"  # a message will come; the first follow-up becomes it
    UPDATING = "updating"  # the message stays as it is, and may be edited


@dataclass
class Exchange:
    """What one person asked, and everything the bot did about it."""

    interaction: Json
    born: float
    source: Message | None = None  # the message whose component was pressed
    state: State = State.NEW
    callback_type: int | None = None
    callback_data: Json = field(default_factory=dict)
    status: int | None = None  # of the callback that was taken, once its answer is written
    after_s: float | None = None
    original: Message | None = None
    edits: list[Json] = field(default_factory=list)
    followups: list[Message] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    changed: Changes = field(default_factory=Changes)

    @property
    def id(self) -> str:
        return str(self.interaction["id"])

    @property
    def token(self) -> str:
        return str(self.interaction["token"])

    @property
    def type(self) -> int:
        return int(self.interaction["type"])

    @property
    def only_user_install(self) -> bool:
        return set(self.interaction.get("authorizing_integration_owners") or ()) == {"1"}

    def metadata(self) -> Json:
        """How a message tells which interaction it answers."""
        data = self.interaction.get("data") or {}
        person = self.interaction.get("user") or self.interaction["member"]["user"]
        metadata = {
            "id": self.id,
            "type": self.type,
            "user": person,
            "authorizing_integration_owners": self.interaction["authorizing_integration_owners"],
        }
        if self.type == COMMAND:
            metadata |= {"name": data.get("name"), "command_type": data.get("type")}
        if self.type == COMPONENT and self.source:
            metadata["interacted_message_id"] = self.source.id
        if "target_id" in data:
            key = "target_message_id" if data["type"] == 3 else "target_user_id"
            metadata[key] = data["target_id"]
        return metadata

    def message_type(self) -> int:
        """20 answers a slash command, 23 a context menu, 19 replies to a message."""
        if self.type == COMMAND:
            return 20 if (self.interaction.get("data") or {}).get("type") == 1 else 23
        return 19 if self.source else 20


@dataclass
class Exchanges:
    """Every interaction that was sent, by id and by token, and the modals that were shown."""

    by_id: dict[str, Exchange] = field(default_factory=dict)
    by_token: dict[str, Exchange] = field(default_factory=dict)
    modals: dict[str, tuple[Json, Exchange]] = field(default_factory=dict)

    def open(self, interaction: Json, born: float, source: Message | None = None) -> Exchange:
        exchange = Exchange(interaction, born, source)
        self.by_id[exchange.id] = exchange
        self.by_token[exchange.token] = exchange
        return exchange
