"""Discord's OpenAPI document: which schema a call's body has, and what it says of a payload."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.contract.misses import Miss, misses

URN = "urn:discord"
JSON = "application/json"
UNIONS = ("anyOf", "oneOf")


@dataclass(frozen=True)
class Schema:
    """One schema of the document: where it stands, and what to call it."""

    pointer: str
    name: str


class Unmatched(Exception):
    """The document knows no such call, or no such body for it."""


class Document:
    """The document, with a validator kept for each schema that was used."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = amended(content)
        resource = Resource.from_contents(self.content, default_specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(URN, resource)
        self._validator = lru_cache(maxsize=None)(self._compile)

    @classmethod
    def read(cls, path: Path) -> "Document":
        return cls(json.loads(path.read_text(encoding="utf-8")))

    @cached_property
    def _base(self) -> str:
        """What stands before each path: that of the server."""
        servers = self.content.get("servers") or [{"url": ""}]
        return str(urlsplit(servers[0]["url"]).path)

    def call(self, method: str, route: str) -> tuple[str, Mapping[str, Any]]:
        """The path in the document, and the operation, that a method and a route mean."""
        wanted = route.removeprefix(self._base).strip("/").split("/")
        fitting = [path for path in self.content["paths"] if _fits(path, wanted)]
        if not fitting:
            raise Unmatched(f"no path fits {route}")
        path = min(fitting, key=lambda one: one.count("{"))
        operation = self.content["paths"][path].get(method.lower())
        if operation is None:
            raise Unmatched(f"{path} takes no {method}")
        return path, operation

    def body(self, method: str, route: str, payload: object) -> Schema:
        """The schema of a call's body; of a union, the member for the payload's `type`."""
        path, operation = self.call(method, route)
        content = operation.get("requestBody", {}).get("content", {})
        if JSON not in content:
            raise Unmatched(f"{method} {path} takes no body")
        keys = ("paths", path, method.lower(), "requestBody", "content", JSON, "schema")
        schema = content[JSON]["schema"]
        union = next((key for key in UNIONS if key in schema), None)
        kind = payload.get("type") if isinstance(payload, Mapping) else None
        if union is None or kind is None:
            return Schema(_pointer(*keys), _name(schema))
        members = [member for member in schema[union] if self._is_for(member, kind)]
        if len(members) != 1:
            raise Unmatched(f"{method} {path} knows no body of type {kind!r}")
        return Schema(members[0]["$ref"], _name(members[0]))

    def query(self, method: str, route: str) -> set[str]:
        """The names that a call's query may hold."""
        path, operation = self.call(method, route)
        own = operation.get("parameters", [])
        every = [*own, *self.content["paths"][path].get("parameters", [])]
        return {one["name"] for one in every if one["in"] == "query"}

    def validate(self, schema: Schema, payload: object) -> Iterator[Miss]:
        """Everything in which a payload misses a schema."""
        yield from misses(self._validator(schema.pointer), payload)

    def _is_for(self, member: Mapping[str, Any], kind: object) -> bool:
        """Whether a union's member is the one for payloads of this `type`."""
        found = self._registry.resolver(URN).lookup(member["$ref"]).contents
        return kind in found.get("properties", {}).get("type", {}).get("enum", ())

    def _compile(self, pointer: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": URN + pointer}, registry=self._registry)


def amended(content: Mapping[str, Any]) -> dict[str, Any]:
    """The document with what the documentation says otherwise."""
    changed: dict[str, Any] = json.loads(json.dumps(content))
    schemas = changed.get("components", {}).get("schemas", {})
    if "SnowflakeType" in schemas:
        schemas["SnowflakeType"] = {
            "anyOf": [schemas["SnowflakeType"], {"type": "integer", "minimum": 0}]
        }
    for schema in schemas.values():
        properties = schema.get("properties", {})
        if "default_member_permissions" in properties:
            digits = {"type": "string", "pattern": r"^\d+$"}
            number = properties["default_member_permissions"]
            properties["default_member_permissions"] = {"anyOf": [number, digits]}
    return changed


def _fits(path: str, wanted: list[str]) -> bool:
    """Whether a path of the document means these segments, written out or as a template."""
    parts = path.strip("/").split("/")
    return len(parts) == len(wanted) and all(
        part.startswith("{") or part == one for part, one in zip(parts, wanted, strict=True)
    )


def _pointer(*keys: str) -> str:
    escaped = (quote(key.replace("~", "~0").replace("/", "~1"), safe="~@") for key in keys)
    return "#/" + "/".join(escaped)


def _name(schema: Mapping[str, Any]) -> str:
    """What to call a schema in a report."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "items" in schema:
        return f"list of {_name(schema['items'])}"
    for key in UNIONS:
        if key in schema:
            return " or ".join(map(_name, schema[key]))
    return str(schema.get("type", "any"))
