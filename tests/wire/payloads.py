"""Small payloads to build the tests of limits from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.wire.limits import Violation

Payload = Mapping[str, Any]
PLAIN = {"content": "x"}


def embed(**parts: object) -> Payload:
    return {"embeds": [{"title": "t", **parts}]}


def field(name: str = "n", value: str = "v") -> Payload:
    return {"name": name, "value": value}


def full(count: int) -> Payload:
    """Embeds of so many characters in all, each within its own limits."""
    whole, rest = divmod(count, 4000)
    return {"embeds": [{"description": "x" * n} for n in (*[4000] * whole, rest) if n]}


def button(name: str = "a", **parts: object) -> Payload:
    return {"type": 2, "style": 2, "label": "l", "custom_id": name, **parts}


def select(**parts: object) -> Payload:
    return {"type": 3, "custom_id": "s", "options": options(1), **parts}


def options(count: int) -> list[Payload]:
    return [{"label": "l", "value": str(n)} for n in range(count)]


def rows(*components: Payload) -> Payload:
    return {"components": [{"type": 1, "components": [part]} for part in components]}


def row(*components: Payload) -> Payload:
    return {"components": [{"type": 1, "components": list(components)}]}


def buttons(count: int) -> list[Payload]:
    return [button(str(n)) for n in range(count)]


def v2(*components: Payload, **parts: object) -> Payload:
    return {"flags": 32768, "components": list(components), **parts}


def shown(content: str = "x") -> Payload:
    return {"type": 10, "content": content}


def ids(count: int) -> list[str]:
    return [str(n) for n in range(1, count + 1)]


def picture(name: str) -> Payload:
    return {**embed(image={"url": f"attachment://{name}"}), "attachments": [file(0, filename=name)]}


def file(number: int, **parts: object) -> Payload:
    return {"id": number, "filename": "x.png", **parts}


Build = Callable[[int], Payload]


def found(violations: Sequence[Violation]) -> list[tuple[str, str]]:
    """Where each is, and which rule."""
    return [(one.path, one.code) for one in violations]
