"""The payloads of INTERACTION_CREATE, and the exchanges they open."""

import copy
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.wire.callbacks import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL_SUBMIT, Exchange
from tests.wire.channels import Permissions
from tests.wire.clock import snowflake
from tests.wire.command_store import MESSAGE, USER
from tests.wire.errors import SetupError
from tests.wire.invocation import Invocation, Value
from tests.wire.messages import Message, create, parts_of
from tests.wire.modals import submitted
from tests.wire.people import Json, Person, partial_member
from tests.wire.places import Where
from tests.wire.world import World

SELECTS = (3, 5, 6, 7, 8)
ATTACH_FILES = 1 << 15


@dataclass(frozen=True)
class Interactions:
    """Builds what a person does. `check` refuses what Discord's own client would not let happen."""

    world: World
    by: Person
    where: Where = Where.GUILD
    guild_id: str | None = None
    check: bool = True

    def open(self, kind: int, data: Json, message: Message | None = None) -> Exchange:
        """Any interaction; from now on it can be answered."""
        payload: Json = {
            "id": snowflake(),
            "application_id": self.world.bot.id,
            "type": kind,
            "token": f"aW50ZXJhY3Rpb246{secrets.token_urlsafe(60)}",
            "version": 1,
            "attachment_size_limit": self.world.settings.attachment_size_limit,
            **self._place(),
            "data": data,
        }
        if message is not None:
            payload["message"] = copy.deepcopy(message.stored)  # as it is now
        return self.world.exchanges.open(payload, self.world.clock.now(), message)

    def slash(self, path: str, options: Mapping[str, Value]) -> Exchange:
        return self.open(COMMAND, self._invocation.data(path, options))

    def autocomplete(self, path: str, options: Mapping[str, Value], focused: str) -> Exchange:
        return self.open(AUTOCOMPLETE, self._invocation.data(path, options, focused))

    def context_menu(self, name: str, target: Person | Message) -> Exchange:
        """A command on a message or on a person."""
        kind = USER if isinstance(target, Person) else MESSAGE
        command = self.world.commands.named(name, kind, self._guild)
        if command is None and self.check:
            raise SetupError(f"Discord has no context menu {name} of type {kind}")
        if command is not None and self.check:
            self._invocation.usable(command)
        resolved: Json = {"messages": {target.id: _stored(target)}}
        if isinstance(target, Person):
            resolved = {"users": {target.id: target.user()}}
            if self._guild is not None:
                resolved["members"] = {target.id: partial_member()}
        data: Json = {
            "id": command["id"] if command else snowflake(),
            "name": name,
            "type": kind,
            "target_id": target.id,
            "resolved": resolved,
        }
        if command is not None and "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        return self.open(COMMAND, data)

    def press(
        self,
        custom_id: str,
        message: Message | None,
        component_type: int,
        values: Sequence[str] | None,
        *,
        without_component: bool = False,
    ) -> Exchange:
        """A button or a select. Without its component is how a bot finds a message it lost."""
        source = message or self.world.messages.holding(custom_id)
        if source is None:
            raise SetupError(f"no message has a component {custom_id}")
        part = next(
            (each for each in parts_of(source.stored) if each.get("custom_id") == custom_id), None
        )
        if self.check and not without_component:
            _pressable(part, custom_id, component_type, values)
        data: Json = {
            "custom_id": custom_id,
            "component_type": component_type,
            "id": (part or {}).get("id", 1),
        }
        if component_type in SELECTS:
            data["values"] = list(values or ())
        exchange = self.open(COMPONENT, data, source)
        if without_component:
            exchange.interaction["message"]["components"] = []
        return exchange

    def submit(
        self, custom_id: str, values: Mapping[str, object], message: Message | None
    ) -> Exchange:
        """A modal that is sent off; its message is that of the component which opened it."""
        modal, opener = self.world.exchanges.modals.get(custom_id, (None, None))
        if modal is None and self.check:
            raise SetupError(f"no modal {custom_id} was shown")
        source = message or (opener.source if opener else None)
        data = submitted(custom_id, modal, values, check=self.check)
        return self.open(MODAL_SUBMIT, data, source)

    def message(self, content: str, author: Json, **body: object) -> Message:
        """A message that is there already; `body` is what else of it its author decides."""
        fixed: Json = {
            "channel_id": self.world.places.channel_ids[self.where],
            "author": author,
        }
        if author.get("bot"):
            fixed["application_id"] = author["id"]
        return self.world.messages.add(create({"content": content, **body}, (), **fixed))

    def _place(self) -> Json:
        """Where it happens, and what the bot may do there."""
        place = self.world.places.fields(self.where, self.by, self.world.bot, self.guild_id)
        may = self.world.permissions.get(place["channel_id"], Permissions())
        allowed = int(place["app_permissions"]) & ~(0 if may.attach else ATTACH_FILES)
        return {**place, "app_permissions": str(allowed)}

    @property
    def _guild(self) -> str | None:
        return self.world.places.guild_of(self.where, self.guild_id)

    @property
    def _invocation(self) -> Invocation:
        return Invocation(self.world.commands, self.where, self._guild, self.check)


def _stored(target: Person | Message) -> Json:
    return target.user() if isinstance(target, Person) else copy.deepcopy(target.stored)


def _pressable(
    part: Json | None, custom_id: str, component_type: int, values: Sequence[str] | None
) -> None:
    if part is None:
        raise SetupError(f"the message has no component {custom_id}")
    if part["type"] != component_type:
        raise SetupError(f"{custom_id} is a component of type {part['type']}")
    if part.get("disabled"):
        raise SetupError(f"{custom_id} is disabled")
    if component_type not in SELECTS:
        return
    chosen = list(values or ())
    least, most = part.get("min_values", 1), part.get("max_values", 1)
    if not least <= len(chosen) <= most:
        raise SetupError(f"{custom_id} takes {least} to {most} values")
    offered = [each["value"] for each in part.get("options") or ()]
    if offered and not set(chosen) <= set(offered):
        raise SetupError(f"{custom_id} offers {offered}")
