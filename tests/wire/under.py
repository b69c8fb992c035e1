"""What stands under an answer, as a test looks at it: of a reply, or of a message."""

from collections.abc import Mapping
from typing import Any

from tests.wire.messages import Message, parts_of
from tests.wire.people import Json
from tests.wire.reply import Reply

SELECT = 3
HOW, SIZE, FIT, OPEN = "v1:set:how", "v1:set:size", "v1:fit", "v1:open"
MATHS, COMPARE, EXACT, COPY, FORM = "v1:maths", "v1:compare", "v1:exact", "v1:copy", "v1:form"
MEASURED = "v1:measured"


def stored(of: Reply | Message) -> Json:
    """The message as others see it now."""
    return of.message if isinstance(of, Reply) else of.stored


def line_of(of: Reply | Message) -> str:
    """The last field of the last embed, without its marks."""
    return str(stored(of)["embeds"][-1]["fields"][-1]["value"]).strip("`").removeprefix("/vram ")


def part(of: Reply | Message, custom_id: str) -> Mapping[str, Any]:
    """One component."""
    return next(one for one in parts_of(stored(of)) if one.get("custom_id") == custom_id)


def ids(of: Reply | Message) -> list[str]:
    """The names of all that can be pressed, from above."""
    return [str(one["custom_id"]) for one in parts_of(stored(of)) if "custom_id" in one]


def values(of: Reply | Message, custom_id: str) -> list[str]:
    """What a list offers."""
    return [str(one["value"]) for one in part(of, custom_id)["options"]]


def chosen(of: Reply | Message, custom_id: str) -> list[str]:
    """What a list shows as chosen."""
    return [str(one["value"]) for one in part(of, custom_id)["options"] if one.get("default")]


def texts(reply: Reply) -> dict[str, Any]:
    """What stands in the texts of a form, by their names."""
    labels = [label["component"] for label in reply.data["components"]]
    return {str(one["custom_id"]): one.get("value") for one in labels}
