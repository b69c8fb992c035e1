"""What Discord allows about one interaction, tried by calls that are wrong on purpose."""

import json

import aiohttp
import pytest

from tests.wire.bare_client import BareClient
from tests.wire.callbacks import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL_SUBMIT, Exchange
from tests.wire.people import Json
from tests.wire.standin import StandIn, Where

SLASH: Json = {"id": "1", "name": "vram", "type": 1}
HELLO: Json = {"content": "hello"}
EDITED: Json = {"content": "edited"}
FORM: Json = {
    "custom_id": "form",
    "title": "Form",
    "components": [
        {
            "type": 18,
            "label": "Words",
            "component": {"type": 4, "style": 1, "custom_id": "words"},
        }
    ],
}


def asked(standin: StandIn, kind: int = COMMAND, where: Where = Where.GUILD) -> Exchange:
    """An interaction of a type, not sent to anyone."""
    data: Json = SLASH
    message = None
    if kind == COMPONENT:
        message = standin.bot_message("old")
        data = {"custom_id": "b", "component_type": 2, "id": 1}
    elif kind == MODAL_SUBMIT:
        data = {"custom_id": "form", "components": []}
    return standin.people(where=where).open(kind, data, message)


async def test_a_second_answer_is_one_too_many(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    assert await bare.rest.answer(exchange, 4, HELLO) == (204, None)
    status, body = await bare.rest.answer(exchange, 4, HELLO)
    assert (status, body["code"]) == (400, 40060)


async def test_an_answer_can_come_too_late(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    standin.clock.skip(3.1)
    status, body = await bare.rest.answer(exchange, 4, HELLO)
    assert (status, body["code"]) == (404, 10062)


async def test_an_answer_needs_the_right_token(standin: StandIn, bare: BareClient) -> None:
    exchange, other = asked(standin), asked(standin)
    path = f"/interactions/{exchange.id}/{other.token}/callback"
    status, body = await bare.rest.call("POST", path, {"type": 4, "data": HELLO})
    assert (status, body["code"]) == (404, 10062)


@pytest.mark.parametrize(
    ("kind", "allowed"),
    [
        (COMMAND, {4, 5, 9}),
        (COMPONENT, {4, 5, 6, 7, 9}),
        (AUTOCOMPLETE, {8}),
        (MODAL_SUBMIT, {4, 5}),
    ],
)
async def test_each_type_has_its_answers(
    standin: StandIn, bare: BareClient, kind: int, allowed: set[int]
) -> None:
    standin.settings.answer_within_s = 60
    data: dict[int, Json | None] = {4: HELLO, 7: HELLO, 8: {"choices": []}, 9: FORM}
    taken = set()
    for answer in range(14):
        status, body = await bare.rest.answer(asked(standin, kind), answer, data.get(answer))
        assert status in (204, 400)
        if status == 204:
            taken.add(answer)
        else:
            assert body["code"] == 50035
            assert "type" in body["errors"]
    assert taken == allowed
    assert len(standin.expect_violations()) == 14 - len(allowed)


async def test_the_reply_to_an_answer_is_for_those_who_ask(
    standin: StandIn, bare: BareClient
) -> None:
    exchange = asked(standin)
    status, body = await bare.rest.answer(exchange, 4, {**HELLO, "flags": 64}, "?with_response=1")
    assert status == 200
    assert body["interaction"]["response_message_ephemeral"] is True
    assert body["resource"]["type"] == 4
    message = body["resource"]["message"]
    assert message["content"] == "hello"
    assert message["id"] == body["interaction"]["response_message_id"]
    assert message["interaction_metadata"]["id"] == exchange.id
    assert {"channel_id", "author", "timestamp", "pinned", "tts", "mentions"} <= set(message)


async def test_a_limit_names_the_place(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    long = {"embeds": [{"title": "x" * 257}]}
    status, body = await bare.rest.answer(exchange, 4, long)
    assert (status, body["code"]) == (400, 50035)
    (leaf,) = body["errors"]["data"]["embeds"]["0"]["title"]["_errors"]
    assert leaf["code"] == "BASE_TYPE_MAX_LENGTH"
    assert (await bare.rest.answer(exchange, 4, HELLO))[0] == 204  # it may try again
    assert "data.embeds.0.title" in standin.expect_violations()[0]


async def test_an_empty_message_is_none(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    status, body = await bare.rest.answer(exchange, 4, {"content": ""})
    assert (status, body["code"]) == (400, 50006)
    await bare.rest.answer(exchange, 4, HELLO)
    status, body = await bare.rest.webhook("PATCH", exchange, "@original", {"content": None})
    assert (status, body["code"]) == (400, 50006)
    assert len(standin.expect_violations()) == 2


async def test_a_webhook_opens_with_the_answer_and_closes_in_time(
    standin: StandIn, bare: BareClient
) -> None:
    exchange = asked(standin)
    status, body = await bare.rest.webhook("POST", exchange, body=HELLO)
    assert (status, body["code"]) == (404, 10015)
    await bare.rest.answer(exchange, 5)
    assert (await bare.rest.webhook("PATCH", exchange, "@original", HELLO))[0] == 200
    standin.clock.skip(901)
    for method, change in (("GET", None), ("PATCH", HELLO), ("DELETE", None)):
        status, body = await bare.rest.webhook(method, exchange, "@original", change)
        assert (status, body["code"]) == (401, 50027)


async def test_the_first_follow_up_is_the_deferred_answer(
    standin: StandIn, bare: BareClient
) -> None:
    exchange = asked(standin)
    _, body = await bare.rest.answer(exchange, 5, {"flags": 64}, "?with_response=1")
    assert body["interaction"]["response_message_loading"] is True
    assert "resource" not in body
    _, first = await bare.rest.webhook("POST", exchange, body=HELLO)
    _, second = await bare.rest.webhook("POST", exchange, body=HELLO)
    original = body["interaction"]["response_message_id"]
    assert first["id"] == original
    assert second["id"] != original
    assert (first["flags"], second["flags"]) == (64, 0)
    assert second["message_reference"]["message_id"] == original


async def test_an_update_that_is_deferred_leaves_the_message(
    standin: StandIn, bare: BareClient
) -> None:
    exchange = asked(standin, COMPONENT)
    assert exchange.source
    await bare.rest.answer(exchange, 6)
    assert exchange.source.stored["content"] == "old"
    _, message = await bare.rest.webhook("PATCH", exchange, "@original", EDITED)
    assert (message["id"], message["content"]) == (exchange.source.id, "edited")
    assert exchange.source.stored["edited_timestamp"]


async def test_after_a_modal_there_is_no_original(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    assert (await bare.rest.answer(exchange, 9, FORM))[0] == 204
    status, body = await bare.rest.webhook("PATCH", exchange, "@original", EDITED)
    assert (status, body["code"]) == (404, 10008)


async def test_a_modal_from_a_component_may_update_its_message(
    standin: StandIn, bare: BareClient
) -> None:
    opened = asked(standin, COMPONENT)
    await bare.rest.answer(opened, 9, FORM)
    sent = standin.people().submit("form", {"words": "x"}, None)
    assert sent.interaction["message"]["id"] == opened.interaction["message"]["id"]
    assert (await bare.rest.answer(sent, 7, EDITED))[0] == 204
    assert opened.source
    assert opened.source.stored["content"] == "edited"


async def test_users_installs_have_five_follow_ups(standin: StandIn, bare: BareClient) -> None:
    for where, last in ((Where.FOREIGN_GUILD, 400), (Where.GUILD, 200)):
        exchange = asked(standin, where=where)
        await bare.rest.answer(exchange, 4, HELLO)
        statuses = [(await bare.rest.webhook("POST", exchange, body=HELLO))[0] for _ in range(6)]
        assert statuses == [200] * 5 + [last]
    assert "40094" in standin.expect_violations()[0]


async def test_messages_are_fetched_edited_and_deleted_by_their_own_token(
    standin: StandIn, bare: BareClient
) -> None:
    exchange, other = asked(standin), asked(standin)
    for each in (exchange, other):
        await bare.rest.answer(each, 4, HELLO)
    _, followed = await bare.rest.webhook("POST", exchange, body=HELLO)
    for message in ("@original", followed["id"]):
        assert (await bare.rest.webhook("PATCH", exchange, message, EDITED))[0] == 200
        status, body = await bare.rest.webhook("GET", exchange, message)
        assert (status, body["content"]) == (200, "edited")
        assert await bare.rest.webhook("DELETE", exchange, message) == (204, None)
        status, body = await bare.rest.webhook("GET", exchange, message)
        assert (status, body["code"]) == (404, 10008)
    status, body = await bare.rest.webhook("GET", other, followed["id"])
    assert (status, body["code"]) == (404, 10008)


async def test_an_edit_keeps_the_attachments_that_it_lists(
    standin: StandIn, bare: BareClient
) -> None:
    exchange = asked(standin)
    form = aiohttp.FormData(quote_fields=False)
    listed = [{"id": number, "filename": f"{number}.png"} for number in (0, 1)]
    payload = json.dumps({"type": 4, "data": {"attachments": listed}})
    form.add_field("payload_json", payload, content_type="application/json")
    for number in (0, 1):
        form.add_field(f"files[{number}]", b"png", filename=f"{number}.png")
    path = f"/interactions/{exchange.id}/{exchange.token}/callback?with_response=1"
    status, body = await bare.rest.call("POST", path, form)
    assert status == 200
    first, second = body["resource"]["message"]["attachments"]
    _, message = await bare.rest.webhook("PATCH", exchange, "@original", EDITED)
    assert message["attachments"] == [first, second]
    kept = {"attachments": [{"id": second["id"]}]}
    _, message = await bare.rest.webhook("PATCH", exchange, "@original", kept)
    assert message["attachments"] == [second]


async def test_a_file_may_be_missing_or_too_large(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    absent: Json = {**HELLO, "attachments": [{"id": 0, "filename": "a.png"}]}
    status, body = await bare.rest.answer(exchange, 4, absent)
    assert (status, body["code"]) == (400, 50035)
    assert "attachments" in body["errors"]["data"]
    standin.settings.attachment_size_limit = 2
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", json.dumps({"type": 4, "data": HELLO}))
    form.add_field("files[0]", b"png", filename="a.png")
    exchange = asked(standin)
    path = f"/interactions/{exchange.id}/{exchange.token}/callback"
    status, body = await bare.rest.call("POST", path, form)
    assert (status, body["code"]) == (413, 40005)
    assert len(standin.expect_violations()) == 2


async def test_components_v2_stay(standin: StandIn, bare: BareClient) -> None:
    exchange = asked(standin)
    data = {"flags": 32768, "components": [{"type": 10, "content": "words"}]}
    assert (await bare.rest.answer(exchange, 4, data))[0] == 204
    _, message = await bare.rest.webhook(
        "PATCH", exchange, "@original", {"components": [{"type": 10, "content": "others"}]}
    )
    assert message["flags"] == 32768
    assert message["components"] == [{"type": 10, "content": "others", "id": 1}]
    status, body = await bare.rest.webhook("PATCH", exchange, "@original", EDITED)
    assert (status, body["code"]) == (400, 50035)
    assert standin.expect_violations()


async def test_an_update_cannot_leave_nothing(standin: StandIn, bare: BareClient) -> None:
    status, body = await bare.rest.answer(asked(standin, COMPONENT), 7, {"content": ""})
    assert (status, body["code"]) == (400, 50006)
    standin.expect_violations()


async def test_mentions_ping_only_whom_they_may(standin: StandIn, bare: BareClient) -> None:
    words = "<@11> <@&12> @everyone"
    for allowed, pinged in (
        (None, (["11"], [], False)),
        ({"parse": []}, ([], [], False)),
        ({"parse": ["everyone"], "roles": ["12"]}, ([], ["12"], True)),
    ):
        data: Json = {"content": words, "allowed_mentions": allowed}
        _, body = await bare.rest.answer(asked(standin), 4, data, "?with_response=1")
        message = body["resource"]["message"]
        users = [each["id"] for each in message["mentions"]]
        assert (users, message["mention_roles"], message["mention_everyone"]) == pinged
