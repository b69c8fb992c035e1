"""Messages at the stand-in: who hears which words, and what may be posted where."""

from typing import Any

import pytest

from tests.wire.bare_client import BareClient, BareSocket
from tests.wire.channels import NONCE_S, Permissions
from tests.wire.intents import MESSAGE_CONTENT
from tests.wire.limits import check_posted
from tests.wire.standin import StandIn, Where

GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 9, 1 << 12
BOTH = GUILD_MESSAGES | DIRECT_MESSAGES
PLAIN = {"content": "x"}


async def listening(standin: StandIn, bare: BareClient, intents: int = BOTH) -> BareSocket:
    socket = await bare.connect()
    await socket.identify(standin.token, intents=intents)
    return socket


async def heard(socket: BareSocket) -> dict[str, Any]:
    said: dict[str, Any] = (await socket.until("MESSAGE_CREATE"))["d"]
    return said


async def post(
    standin: StandIn, bare: BareClient, body: object, where: Where = Where.GUILD
) -> tuple[int, Any]:
    channel = standin.world.places.channel_ids[where]
    return await bare.rest.call("POST", f"/channels/{channel}/messages", body)


@pytest.mark.parametrize(
    ("content", "where", "words"),
    [
        ("hello", Where.GUILD, False),
        ("hello @bot", Where.GUILD, True),
        ("`@bot` hello", Where.GUILD, False),
        ("```\n@bot\n``` hello", Where.GUILD, False),
        ("hello", Where.BOT_DM, True),
    ],
)
async def test_words_are_for_whom_they_mention(
    standin: StandIn, bare: BareClient, content: str, where: Where, words: bool
) -> None:
    socket = await listening(standin, bare)
    file = {"id": "1", "filename": "a.txt"}
    message = await standin.write(content, where=where, attachments=[file])
    event = await heard(socket)
    assert event["content"] == (message.stored["content"] if words else "")
    assert event["attachments"] == ([file] if words else [])
    assert ("guild_id" in event) == (where is Where.GUILD)
    assert ("member" in event) == (where is Where.GUILD)


async def test_with_the_privileged_intent_all_words_are_told(
    standin: StandIn, bare: BareClient
) -> None:
    standin.settings.approved_intents = MESSAGE_CONTENT
    socket = await listening(standin, bare, BOTH | MESSAGE_CONTENT)
    await standin.write("hello")
    assert (await heard(socket))["content"] == "hello"


@pytest.mark.parametrize(
    ("intents", "where", "count"),
    [
        (GUILD_MESSAGES, Where.GUILD, 1),
        (GUILD_MESSAGES, Where.BOT_DM, 0),
        (DIRECT_MESSAGES, Where.GUILD, 0),
        (DIRECT_MESSAGES, Where.BOT_DM, 1),
        (0, Where.GUILD, 0),
    ],
)
async def test_messages_of_a_kind_need_their_intent(
    standin: StandIn, bare: BareClient, intents: int, where: Where, count: int
) -> None:
    await listening(standin, bare, intents)
    message = {"content": "x", "author": {"id": "1"}}
    more = {"guild_id": standin.guild_id} if where is Where.GUILD else {}
    assert await standin.dispatch("MESSAGE_CREATE", message | more) == count


@pytest.mark.parametrize("ping", [True, False])
async def test_a_reply_carries_the_message_that_it_replies_to(
    standin: StandIn, bare: BareClient, ping: bool
) -> None:
    own = standin.bot_message("an answer")
    socket = await listening(standin, bare)
    await standin.write("bs 4", to=own, ping=ping)
    event = await heard(socket)
    assert event["type"] == 19
    assert event["content"] == ("bs 4" if ping else "")
    assert event["message_reference"]["message_id"] == own.id
    assert event["referenced_message"]["content"] == "an answer"


async def test_of_a_reply_to_another_person_only_the_own_words_are_told(
    standin: StandIn, bare: BareClient
) -> None:
    other = await standin.write("between us", by=standin.person("bob"))
    socket = await listening(standin, bare)
    await standin.write("@bot and this", to=other)
    event = await heard(socket)
    assert event["content"].endswith("and this")
    assert event["referenced_message"]["content"] == ""


async def test_a_deleted_message_is_none_in_a_reply(standin: StandIn, bare: BareClient) -> None:
    own = standin.bot_message("an answer")
    standin.world.messages.remove(own)
    socket = await listening(standin, bare)
    await standin.write("bs 4", to=own)
    assert (await heard(socket))["referenced_message"] is None


async def test_what_is_posted_is_heard_by_its_own_bot(standin: StandIn, bare: BareClient) -> None:
    socket = await listening(standin, bare)
    status, message = await post(standin, bare, PLAIN)
    event = await heard(socket)
    assert status == 200
    assert (event["id"], event["content"]) == (message["id"], "x")
    assert event["author"]["id"] == standin.application_id


async def test_a_nonce_that_is_enforced_makes_one_message(
    standin: StandIn, bare: BareClient
) -> None:
    body = {**PLAIN, "nonce": "7", "enforce_nonce": True}
    _, first = await post(standin, bare, body)
    _, again = await post(standin, bare, {**body, "content": "other"})
    standin.clock.skip(NONCE_S + 1)
    _, later = await post(standin, bare, body)
    assert again == first
    assert later["id"] != first["id"]
    assert len(standin.posted) == 2


async def test_a_nonce_that_is_not_enforced_makes_two(standin: StandIn, bare: BareClient) -> None:
    for _ in range(2):
        await post(standin, bare, {**PLAIN, "nonce": 7})
    assert len(standin.posted) == 2


TAKEN: list[tuple[Where, Permissions, dict[str, Any], tuple[int, int | None]]] = [
    (Where.GUILD, Permissions(), PLAIN, (200, None)),
    (Where.GUILD, Permissions(view=False), PLAIN, (403, 50001)),
    (Where.GUILD, Permissions(send=False), PLAIN, (403, 50013)),
    (Where.GUILD, Permissions(embed=False), PLAIN, (200, None)),
    (Where.GUILD, Permissions(embed=False), {"embeds": [{"title": "t"}]}, (403, 50013)),
    (Where.GUILD, Permissions(history=False), PLAIN, (200, None)),
    (Where.BOT_DM, Permissions(), PLAIN, (200, None)),
    (Where.BOT_DM, Permissions(send=False), PLAIN, (403, 50007)),
    (Where.GROUP_DM, Permissions(), PLAIN, (403, 50001)),
    (Where.FOREIGN_GUILD, Permissions(), PLAIN, (403, 50001)),
]


@pytest.mark.parametrize("case", TAKEN)
async def test_a_channel_takes_what_is_allowed_in_it(
    standin: StandIn,
    bare: BareClient,
    case: tuple[Where, Permissions, dict[str, Any], tuple[int, int | None]],
) -> None:
    where, may, body, expected = case
    standin.world.permissions[standin.world.places.channel_ids[where]] = may
    status, said = await post(standin, bare, body, where)
    assert (status, said.get("code")) == expected


async def test_a_channel_that_is_not_there_is_unknown(standin: StandIn, bare: BareClient) -> None:
    status, said = await bare.rest.call("POST", "/channels/1/messages", PLAIN)
    assert (status, said["code"]) == (404, 10003)
    assert standin.posted == []


async def test_a_reply_needs_its_message_and_the_history(
    standin: StandIn, bare: BareClient
) -> None:
    other = await standin.write("hello", by=standin.person("bob"))
    pin = await standin.write("", type=6)
    channel = other.stored["channel_id"]

    async def reply(to: str, **more: object) -> tuple[int, Any]:
        return await post(standin, bare, {**PLAIN, "message_reference": {"message_id": to, **more}})

    status, message = await reply(other.id)
    assert (status, message["type"]) == (200, 19)
    assert message["mentions"] == [other.stored["author"]]
    status, said = await reply("5")
    errors = said["errors"]["message_reference"]["_errors"]
    assert (status, said["code"], errors[0]["code"]) == (400, 50035, "REPLIES_UNKNOWN_MESSAGE")
    status, message = await reply("5", fail_if_not_exists=False)
    assert (status, message["type"]) == (200, 0)
    status, said = await reply(pin.id)
    assert (status, said["code"]) == (400, 50035)
    standin.world.permissions[channel] = Permissions(history=False)
    status, said = await reply(other.id)
    assert (status, said["code"]) == (403, 160002)


async def test_whom_a_reply_pings_is_said_by_it(standin: StandIn, bare: BareClient) -> None:
    other = await standin.write("hello", by=standin.person("bob"))
    body = {
        "content": "<@5> @everyone",
        "message_reference": {"message_id": other.id},
        "allowed_mentions": {"parse": [], "replied_user": False},
    }
    _, quiet = await post(standin, bare, body)
    _, loud = await post(standin, bare, {**body, "allowed_mentions": None})
    assert (quiet["mentions"], quiet["mention_everyone"]) == ([], False)
    assert [each["id"] for each in loud["mentions"]] == ["5", other.stored["author"]["id"]]
    assert loud["mention_everyone"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "x" * 2001}, "BASE_TYPE_MAX_LENGTH"),
        ({"content": "x", "nonce": "1" * 26}, "BASE_TYPE_BAD_LENGTH"),
        ({"content": "x", "flags": 64}, "FLAGS_REFUSED"),
        ({"content": "x", "message_reference": {}}, "BASE_TYPE_REQUIRED"),
        ({"content": "x", "message_reference": {"message_id": "a"}}, "NUMBER_TYPE_COERCE"),
        ({"content": "x", "enforce_nonce": "yes"}, "BOOLEAN_TYPE_CONVERT"),
        ({"content": "x", "with_response": True}, "UNKNOWN_KEY_REFUSED"),
        ({"content": "  "}, "50006"),
    ],
)
def test_a_post_that_discord_would_refuse(body: dict[str, Any], code: str) -> None:
    assert [one.code for one in check_posted(body)] == [code]
    assert check_posted(PLAIN) == []


async def test_an_answer_to_a_command_is_heard_where_others_see_it(
    standin: StandIn, bare: BareClient
) -> None:
    socket = await listening(standin, bare)
    for flags in (64, 0):
        exchange = standin.people().open(2, {"id": "1", "name": "a", "type": 1})
        await bare.rest.answer(exchange, 4, {"content": f"flags {flags}", "flags": flags})
    assert (await heard(socket))["content"] == "flags 0"
