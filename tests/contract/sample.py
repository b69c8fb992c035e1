"""A small document in the shape of Discord's, and requests to try on it."""

from typing import Any

from tests.contract.document import Document
from tests.wire.recorded import Request

CALLBACK = "/interactions/{id}/{token}/callback"
ORIGINAL = "/webhooks/{app}/{token}/messages/@original"
COMMANDS = "/applications/{app}/commands"
Json = dict[str, Any]


def body(schema: Json) -> Json:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Json) -> Json:
    return {"oneOf": [{"type": "null"}, schema]}


def thing(needed: tuple[str, ...] = (), **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(needed)}


def of_type(*kinds: int, **properties: Json) -> Json:
    return thing(("type",), type={"type": "integer", "enum": list(kinds)}, **properties)


CONTENT: Json = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://discord.example/api/v10"}],
    "paths": {
        "/users/@me": {"get": {}},
        "/applications/{application_id}/commands": {
            "put": body({"type": "array", "items": ref("Command")})
        },
        "/interactions/{interaction_id}/{interaction_token}/callback": {
            "post": {
                "parameters": [{"name": "with_response", "in": "query"}],
                **body({"anyOf": [ref("Answer"), ref("Suggestions"), ref("Update")]}),
            }
        },
        "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": {"patch": body({})},
        "/webhooks/{webhook_id}/{webhook_token}/messages/@original": {
            "patch": body(ref("Message"))
        },
    },
    "components": {
        "schemas": {
            "SnowflakeType": {"type": "string", "pattern": "^[0-9]+$"},
            "Command": thing(
                ("name",),
                name={"type": "string"},
                default_member_permissions={"type": ["integer", "null"]},
            ),
            "Answer": of_type(4, 5, data=nullable(ref("Message"))),
            "Update": of_type(6, 7, data=nullable(ref("Message"))),
            "Suggestions": of_type(8, data=thing()),
            "Message": thing(
                content={"type": ["string", "null"], "maxLength": 5},
                attachments={"type": "array", "items": thing(("id",), id=ref("SnowflakeType"))},
                components={
                    "type": "array",
                    "items": {"oneOf": [ref("Row"), ref("Text")]},
                },
            ),
            "Row": of_type(1, components={"type": "array", "items": {"oneOf": [ref("Button")]}}),
            "Button": of_type(
                2,
                label={"type": "string", "maxLength": 3},
                custom_id={"type": "string"},
                style={"oneOf": [{"const": 1}, {"const": 2}]},
            ),
            "Text": of_type(10, content={"type": "string"}),
        }
    },
}
DOCUMENT = Document(CONTENT)


def request(method: str, route: str | None, body: object = None, **query: str) -> Request:
    return Request(
        method=method, route=route, path="/nowhere", query=query, headers={}, at=0, body=body
    )


def button(**parts: object) -> Json:
    return {"type": 2, "style": 1, "label": "l", "custom_id": "a", **parts}


def answer(**data: object) -> Json:
    return {"type": 4, "data": data}


def row(*components: Json) -> Json:
    return answer(components=[{"type": 1, "components": list(components)}])
