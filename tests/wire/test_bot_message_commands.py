"""Commands in the menu of a message, through the socket."""

import pytest

from tests.wire.errors import SetupError
from tests.wire.our_bot import QUERY, VERDICT, ready
from tests.wire.standin import Reply, StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

ESTIMATE, EXPLAIN = "Estimate this", "Explain this OOM"
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 23.65 GiB of which 1.00 GiB is free. Of the allocated memory 21.00 GiB is "
    "allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated."
)
FILE = {"id": "1", "filename": "oom.txt", "size": 1, "url": "http://x/", "proxy_url": "http://x/"}
QUESTION = "how much to train 7B adam lora?"


def last_line(reply: Reply) -> str:
    return str(reply.embeds[0]["fields"][-1]["value"])


@pytest.mark.parametrize("where", list(Where))
async def test_a_message_is_estimated_for_everyone_wherever_it_is(
    standin: StandIn, where: Where
) -> None:
    async with ready(standin):
        reply = await standin.context_menu(ESTIMATE, QUESTION, where=where)
    assert reply.embeds[0]["title"].startswith(VERDICT)
    assert not reply.ephemeral
    assert reply.message["type"] == 23
    assert reply.data["allowed_mentions"] == {"parse": []}


async def test_an_error_is_for_the_asker_alone(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.context_menu(ESTIMATE, "is 70B @everyone any good on <@5>?")
    assert reply.ephemeral
    assert "To train it, or to run it?" in reply.content
    assert "@" not in reply.content


@pytest.mark.parametrize("text", ["", "   ", "```\n```", "\u200b"])
async def test_a_message_without_words_says_so(standin: StandIn, text: str) -> None:
    async with ready(standin):
        reply = await standin.context_menu(ESTIMATE, text)
    assert reply.ephemeral
    assert "no words" in reply.content


async def test_files_are_not_opened_and_that_is_said(standin: StandIn) -> None:
    async with ready(standin):
        people = standin.people()
        target = people.message("", people.by.user())
        target.stored["attachments"] = [FILE]
        reply = await standin.context_menu(ESTIMATE, target=target)
    assert reply.ephemeral
    assert "open no files" in reply.content


async def test_what_another_bot_posted_in_an_embed_is_read(standin: StandIn) -> None:
    bot = {**standin.person("ci").user(), "bot": True}
    fields = [{"name": "method", "value": "lora"}, {"name": "optimizer", "value": "adamw"}]
    async with ready(standin):
        target = standin.people().message("", bot, embeds=[{"title": "train 7B", "fields": fields}])
        reply = await standin.context_menu(ESTIMATE, target=target)
    assert last_line(reply) == "`/vram train 7B lora adamw`"


async def test_an_answer_of_the_bot_is_asked_again(standin: StandIn) -> None:
    async with ready(standin):
        before = await standin.slash("vram train", QUERY)
        reply = await standin.context_menu(ESTIMATE, target=before.stored)
    assert last_line(reply) == last_line(before)


async def test_a_reply_to_an_answer_changes_it_though_nobody_was_mentioned(
    standin: StandIn,
) -> None:
    async with ready(standin):
        before = await standin.slash("vram train", QUERY)
        target = await standin.write("and for 13B?", to=before, ping=False)
        reply = await standin.context_menu(ESTIMATE, target=target)
    assert last_line(reply) == "`/vram train 13B lora adamw`"


@pytest.mark.parametrize("text", ["x" * 4000, "`" * 2000, "7B 13B lora " * 300, "@here " * 500])
async def test_whatever_a_message_says_is_answered(standin: StandIn, text: str) -> None:
    async with ready(standin):
        reply = await standin.context_menu(ESTIMATE, text)
    assert reply.ephemeral
    outside = "".join(reply.content.split("`")[::2])
    assert not set("@<[") & set(outside)


@pytest.mark.parametrize("where", list(Where))
async def test_a_pasted_message_is_explained(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await standin.context_menu(EXPLAIN, OOM, where=where)
        estimated = await standin.context_menu(ESTIMATE, OOM, where=where)
    assert not reply.ephemeral
    assert "2.00 GiB" in str(reply.embeds)
    assert estimated.embeds == reply.embeds


async def test_a_message_below_an_answer_is_explained_by_what_ran(standin: StandIn) -> None:
    async with ready(standin):
        before = await standin.slash("vram train", {"query": "7B full on a 3090"})
        target = await standin.write(OOM, to=before, ping=False)
        reply = await standin.context_menu(EXPLAIN, target=target)
    assert last_line(reply).splitlines()[-1] == "`/vram train 7B full, rtx-3090`"


@pytest.mark.parametrize("text", ["", "hello", "x" * 4000, "@everyone", "train 7B lora"])
async def test_what_is_no_such_message_is_said_in_private(standin: StandIn, text: str) -> None:
    async with ready(standin):
        reply = await standin.context_menu(EXPLAIN, text)
    assert reply.ephemeral
    assert "aste " in reply.content


async def test_a_log_that_is_a_file_is_not_opened(standin: StandIn) -> None:
    async with ready(standin):
        people = standin.people()
        target = people.message("", people.by.user())
        target.stored["attachments"] = [FILE]
        reply = await standin.context_menu(EXPLAIN, target=target)
    assert reply.ephemeral
    assert "open no files" in reply.content


async def test_it_is_a_command_on_messages_and_not_on_people(standin: StandIn) -> None:
    async with ready(standin):
        with pytest.raises(SetupError):
            await standin.context_menu(ESTIMATE, target=standin.person("bob"))
