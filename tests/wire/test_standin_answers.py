"""The real client asks, is asked and answers: every kind of interaction, over sockets."""

import aiohttp
import pytest
from discord.app_commands import CommandNotFound

from tests.wire.errors import SetupError, Unanswered
from tests.wire.faults import CALLBACK
from tests.wire.people import Person
from tests.wire.standin import StandIn, Where
from tests.wire.tiny_bot import TinyBot, running

pytestmark = pytest.mark.usefixtures("tiny")
QUERY = {"query": "7B adam lora"}


def test_login_comes_first_and_the_sync_is_stored(standin: StandIn) -> None:
    calls = [(each.method, each.route) for each in standin.requests]
    assert calls == [
        ("GET", "/users/@me"),
        ("GET", "/oauth2/applications/@me"),
        ("PUT", "/applications/{app}/commands"),
    ]
    assert {each["name"] for each in standin.commands} == {"vram", "Estimate this"}
    body = standin.requests[-1].body
    assert body[0]["options"][0]["options"][0]["name"] == "query"
    assert [each.intents for each in standin.identifies] == [0]
    assert standin.world.frames["IDENTIFY"] == 1


@pytest.mark.parametrize("where", Where)
async def test_a_command_is_answered_everywhere(standin: StandIn, where: Where) -> None:
    reply = await standin.slash("vram train", {**QUERY, "context": 4096}, where=where)
    assert reply.type == 4
    assert reply.status == 200
    assert reply.message["type"] == 20
    assert reply.embeds[0]["description"] == QUERY["query"]
    assert reply.embeds[0]["fields"] == [{"name": "context", "value": "4096", "inline": True}]
    assert not reply.ephemeral
    asked = reply.interaction
    assert ("member" in asked, "user" in asked) == (where.value.endswith("guild"), "dm" in where)
    sent = standin.requests_to(CALLBACK)[-1]
    assert sent.query == {"with_response": "1"}
    assert sent.body["data"]["embeds"][0]["type"] == "rich"


async def test_an_option_completes(standin: StandIn) -> None:
    reply = await standin.autocomplete("vram train", {"query": "7B"}, focused="query")
    assert reply.type == 8
    assert reply.choices == [{"name": "7B adam", "value": "7B adam"}]
    assert reply.message == {}


async def test_a_button_changes_its_message(standin: StandIn) -> None:
    reply = await standin.slash("vram train", QUERY)
    pressed = await standin.press("tiny:again:1")
    assert pressed.type == 7
    assert pressed.message is reply.message
    assert reply.content == "pressed 1"
    assert (await standin.press("tiny:again:2", reply)).content == "pressed 2"


async def test_a_button_from_another_time_is_answered(standin: StandIn) -> None:
    button = {"type": 2, "style": 2, "label": "Again", "custom_id": "tiny:again:7"}
    old = standin.bot_message("old", components=[{"type": 1, "components": [button]}])
    assert (await standin.press("tiny:again:7", old)).content == "pressed 7"


async def test_a_button_that_nobody_knows_is_not(standin: StandIn) -> None:
    button = {"type": 2, "style": 2, "label": "?", "custom_id": "who:knows"}
    standin.bot_message("old", components=[{"type": 1, "components": [button]}])
    with pytest.raises(Unanswered, match="no answer"):
        await standin.press("who:knows", timeout=0.1)


async def test_a_button_whose_message_lacks_it_is_not(standin: StandIn) -> None:
    await standin.slash("vram train", QUERY)
    with pytest.raises(Unanswered, match="no answer"):
        await standin.press("tiny:again:1", without_component=True, timeout=0.1)


async def test_a_modal_comes_back(standin: StandIn) -> None:
    shown = await standin.slash("vram form")
    assert shown.type == 9
    assert shown.data["title"] == "A form"
    assert shown.message == {}
    sent = await standin.submit("tiny:form", {"words": "hello"})
    assert (sent.type, sent.content) == (4, "hello")
    old = standin.bot_message("old")
    await standin.slash("vram form")  # the client forgets a modal that came back
    changed = await standin.submit("tiny:form", {"words": "again"}, old)
    assert (changed.type, old.stored["content"]) == (7, "again")


async def test_a_deferred_answer_is_edited_and_stays_private(standin: StandIn) -> None:
    reply = await standin.slash("vram slow")
    assert (reply.type, reply.data) == (5, {"flags": 64})
    await reply.finished()
    await reply.until(lambda: reply.followups)
    assert reply.content == "thought"
    assert reply.ephemeral
    assert [each["content"] for each in reply.edits] == ["thought"]
    assert [each["content"] for each in reply.followups] == ["and more"]


async def test_a_file_is_kept_with_its_text(standin: StandIn) -> None:
    reply = await standin.slash("vram picture")
    (attachment,) = reply.message["attachments"]
    assert attachment["description"] == "bars"
    assert attachment["content_type"] == "image/png"
    assert reply.embeds[0]["image"]["url"] == attachment["url"]
    assert standin.requests[-1].files == ["bars.png"]
    async with aiohttp.ClientSession() as http, http.get(attachment["url"]) as response:
        assert await response.read() == b"png"


async def test_a_context_menu_gets_its_message(standin: StandIn) -> None:
    reply = await standin.context_menu("Estimate this", "7B on a 3090?")
    assert reply.content == "about: 7B on a 3090?"
    assert reply.message["type"] == 23


async def test_who_asks_is_said(standin: StandIn) -> None:
    ben = standin.person("ben", locale="de")
    asked = (await standin.slash("vram train", QUERY, by=ben)).interaction
    assert asked["locale"] == "de"
    assert asked["member"]["user"]["id"] == ben.id
    assert asked["authorizing_integration_owners"] == {"0": standin.guild_id}


@pytest.mark.parametrize(
    ("path", "options", "wrong"),
    [
        ("vrm train", {}, "no command /vrm"),
        ("vram tain", {}, "no part tain"),
        ("vram", {}, "cannot be run"),
        ("vram train", {}, "needs query"),
        ("vram train", {"query": "x", "flurbl": "x"}, "no option flurbl"),
        ("vram train", {"query": 7}, "of type 3, not 4"),
        ("vram train", {"query": "x" * 6001}, "between 0 and 6000"),
    ],
)
async def test_nobody_can_type_what_discord_would_not_take(
    standin: StandIn, path: str, options: dict[str, str | int], wrong: str
) -> None:
    with pytest.raises(SetupError, match=wrong):
        await standin.slash(path, options)


async def test_what_is_typed_can_be_wrong_on_purpose(standin: StandIn, tiny: TinyBot) -> None:
    with pytest.raises(Unanswered):
        await standin.slash("vram flurbl", {"x": Person("ben")}, check=False, timeout=0.1)
    assert isinstance(await tiny.failure(), CommandNotFound)


async def test_a_limit_that_is_broken_is_refused_and_written_down(standin: StandIn) -> None:
    with pytest.raises(Unanswered, match="50035"):
        await standin.slash("vram say", {"what": "x" * 257}, timeout=0.5)
    (sentence,) = standin.expect_violations()
    assert "data.embeds.0.title" in sentence
    assert standin.requests[-1].status == 400


async def test_a_second_session_of_a_shard_hears_and_is_told_so(standin: StandIn) -> None:
    async with running(standin, TinyBot(shard_count=1, sync=False)):
        await standin.ready(2)
        await standin.slash("vram train", QUERY)
        await standin.until(
            lambda: (
                all(each.status for each in standin.requests_to(CALLBACK))
                and len(standin.requests_to(CALLBACK)) == 2
            )
        )
    assert [each.status for each in standin.requests_to(CALLBACK)] == [200, 400]
