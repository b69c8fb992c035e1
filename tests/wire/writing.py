"""What people write, and MESSAGE_CREATE as every session of the bot might hear of it."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.wire.mentions import written_to
from tests.wire.messages import Message, create
from tests.wire.people import Json, Person, partial_member
from tests.wire.places import Where
from tests.wire.world import World

REPLY, DEFAULT = 19, 0


@dataclass(frozen=True)
class Writing:
    """Somebody, and where they write."""

    world: World
    by: Person
    where: Where = Where.GUILD
    guild_id: str | None = None

    def message(
        self,
        content: str,
        *,
        to: Message | None = None,
        ping: bool = True,
        **body: Any,  # noqa: ANN401 - what else its author or Discord decides
    ) -> Message:
        """A new message; `to`: a reply to another one, whose author it pings unless told not to."""
        fixed: Json = {
            "channel_id": self.world.places.channel_ids[self.where],
            "author": self.by.user(),
            "type": DEFAULT if to is None else REPLY,
        }
        if to is not None:
            reference = {"type": 0, "message_id": to.id, "channel_id": to.stored["channel_id"]}
            gone = None if to.deleted else copy.deepcopy(to.stored)
            fixed |= {"message_reference": reference, "referenced_message": gone}
        fixed["mentions"] = list(written_to(content, self.world.bot))
        if to is not None and ping and to.stored["author"] not in fixed["mentions"]:
            fixed["mentions"].append(to.stored["author"])
        return self.world.messages.add(create({"content": content}, (), **fixed | body))

    def event(self, message: Message) -> Json:
        """MESSAGE_CREATE of it, before intents take its words away."""
        said = copy.deepcopy(message.stored)
        guild_id = self.world.places.guild_of(self.where, self.guild_id)
        if guild_id is None:
            return {**said, "channel_type": 1}
        said["mentions"] = [_as_member(each) for each in said["mentions"]]
        member = {**partial_member(), "deaf": False, "mute": False}
        by_hook = "webhook_id" in said
        return {**said, "guild_id": guild_id, **({} if by_hook else {"member": member})}


def _as_member(user: Mapping[str, Any]) -> Json:
    return {**user, "member": partial_member()}
