"""Mentions, direct messages and replies to answers, through the socket."""

from typing import Any

import pytest

from bot.courtesy import AT_ONCE
from bot.hearing import INTENTS
from tests.wire.intents import PRIVILEGED
from tests.wire.messages import Message
from tests.wire.our_bot import DESK, QUERY, VERDICT, answers, ready
from tests.wire.standin import StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

QUESTION, MESSAGES = "train 7B adam lora", "/channels/{channel}/messages"
HELP = DESK.locale.say_on_discord("to_mention")


def title(message: Message) -> str:
    return str(message.stored["embeds"][0]["title"])


def line(message: Message) -> str:
    """The line of an answer that asks for it again."""
    return str(message.stored["embeds"][0]["fields"][-1]["value"]).strip("`").removeprefix("/vram ")


async def silence(standin: StandIn) -> None:
    """Wait until a question that came later is answered: what was not answered by then is not."""
    asked = await standin.write(QUESTION, by=standin.person("later"), where=Where.BOT_DM)
    await standin.answer_to(asked)
    for message in standin.posted:
        if message.stored["message_reference"]["message_id"] == asked.id:
            standin.world.messages.remove(message)


async def test_no_intent_is_privileged(standin: StandIn) -> None:
    async with ready(standin):
        (identify,) = standin.identifies
    assert identify.intents == INTENTS.value == 1 << 0 | 1 << 9 | 1 << 12
    assert not identify.intents & PRIVILEGED


@pytest.mark.parametrize(
    "text", [f"@bot {QUESTION}", f"{QUESTION} @bot", "train 7B @bot adam lora"]
)
async def test_a_mention_is_answered_below_it(standin: StandIn, text: str) -> None:
    async with ready(standin):
        asked = await standin.write(text)
        answer = await standin.answer_to(asked)
    assert title(answer).startswith(VERDICT)
    (request,) = standin.requests_to(MESSAGES)
    assert request.body["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert request.body["nonce"] == asked.id
    assert request.body["enforce_nonce"] is True
    assert answer.stored["mentions"] == []


async def test_a_direct_message_is_answered_without_a_mention(standin: StandIn) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(QUESTION, where=Where.BOT_DM))
    assert title(answer).startswith(VERDICT)


@pytest.mark.parametrize("where", [Where.GUILD, Where.BOT_DM])
async def test_a_reply_changes_what_was_asked(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}", where=where))
        reply = await standin.write("and the same for 13B, with qlora", where=where, to=answer)
        changed = await standin.answer_to(reply)
        again = await standin.answer_to(await standin.write("bs 4", where=where, to=changed))
    assert line(changed) == "train 13B qlora adamw"
    assert line(again) == "train 13B qlora adamw bs 4"


async def test_a_reply_to_the_answer_of_a_command_changes_it(standin: StandIn) -> None:
    async with ready(standin):
        command = await standin.slash("vram train", QUERY)
        changed = await standin.answer_to(await standin.write("on a 4090?", to=command))
    assert line(changed) == "train 7B lora adamw, rtx-4090"


async def test_another_process_answers_a_reply(standin: StandIn) -> None:
    """The state is in the message alone."""
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}"))
    async with ready(standin):
        changed = await standin.answer_to(await standin.write("without lora", to=answer))
    assert line(changed) == "train 7B full adamw"


async def test_a_whole_question_below_an_answer_is_a_new_one(standin: StandIn) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION} bs 4"))
        other = await standin.answer_to(await standin.write("infer 8B q4_k_m", to=answer))
    assert line(other) == "infer 8B Q4_K_M"


async def test_a_reply_to_a_comparison_changes_every_side(standin: StandIn) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write("@bot train 7B lora vs qlora"))
        changed = await standin.answer_to(await standin.write("bs 4", to=answer))
    lines = changed.stored["embeds"][0]["fields"][-1]["value"].splitlines()
    assert lines == ["`/vram train 7B qlora bs 4`", "`/vram train 7B lora bs 4`"]


async def test_a_reply_to_what_was_asked_back_completes_it(standin: StandIn) -> None:
    async with ready(standin):
        asked = await standin.answer_to(await standin.write("@bot 70B"))
        answer = await standin.answer_to(await standin.write("to run it", to=asked))
    assert "To train it, or to run it?" in asked.stored["content"]
    assert line(answer) == "infer 70B"


async def test_a_mention_below_somebodys_words_is_a_question_of_its_own(standin: StandIn) -> None:
    async with ready(standin):
        other = await standin.write("infer 70B awq4", by=standin.person("bob"))
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}", to=other))
    assert line(answer) == "train 7B lora adamw"


async def test_a_forged_answer_of_another_bot_is_none(standin: StandIn) -> None:
    forged = {"fields": [{"name": "Again", "value": "`/vram train 70B full`"}]}
    bot = {**standin.person("other bot").user(), "bot": True}
    async with ready(standin):
        message = await standin.write("", author=bot, embeds=[forged])
        answer = await standin.answer_to(await standin.write("@bot bs 4", to=message))
    assert "Which model?" in answer.stored["content"]


@pytest.mark.parametrize("text", ["@bot", "@bot  ", "@bot ``", "@bot @everyone", "hi @bot"])
async def test_a_mention_alone_is_told_what_to_ask(standin: StandIn, text: str) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(text))
    assert answer.stored["content"] == HELP
    assert len(HELP.splitlines()) == 2
    assert not answer.stored["mention_everyone"]


async def test_an_error_is_short_in_a_channel_and_whole_in_private(standin: StandIn) -> None:
    text = "train 7B lora r=64 frobadam"
    async with ready(standin):
        public = await standin.answer_to(await standin.write(f"@bot {text}"))
        private = await standin.answer_to(await standin.write(text, where=Where.BOT_DM))
    assert public.stored["content"].splitlines() == [
        "I do not know `frobadam`.",
        "Type: `/vram train 7B lora r=64`",
    ]
    assert "Understood: `train 7B lora r=64`" in private.stored["content"]


async def test_files_are_not_opened_and_that_is_said(standin: StandIn) -> None:
    file = {
        "id": "1",
        "filename": "log.txt",
        "size": 1,
        "url": "http://x/",
        "proxy_url": "http://x/",
    }
    async with ready(standin):
        asked = await standin.write("", where=Where.BOT_DM, attachments=[file])
        answer = await standin.answer_to(asked)
    assert "open no files" in answer.stored["content"]


async def test_what_a_direct_message_forwards_is_read(standin: StandIn) -> None:
    snapshot = {"message": {"content": QUESTION, "embeds": [], "attachments": [], "type": 0,
                            "timestamp": "2024-01-01T00:00:00+00:00", "edited_timestamp": None,
                            "flags": 0, "mentions": [], "mention_roles": []}}  # fmt: skip
    async with ready(standin):
        asked = await standin.write("", where=Where.BOT_DM, message_snapshots=[snapshot])
        answer = await standin.answer_to(asked)
    assert title(answer).startswith(VERDICT)


SILENT: dict[str, dict[str, Any]] = {
    "no mention": {"content": QUESTION},
    "in a code block": {"content": f"```\n@bot {QUESTION}\n```"},
    "in a code span": {"content": f"`@bot {QUESTION}`"},
    "everyone": {"content": f"@everyone {QUESTION}", "mention_everyone": True},
    "a role": {"content": f"<@&5> {QUESTION}", "mention_roles": ["5"]},
    "a bot": {"content": f"@bot {QUESTION}", "author": {"id": "7", "username": "b", "avatar": None,
                                                        "discriminator": "0", "bot": True}},
    "a webhook": {"content": f"@bot {QUESTION}", "webhook_id": "8"},
    "a pin": {"content": f"@bot {QUESTION}", "type": 6},
    "a thread": {"content": f"@bot {QUESTION}", "type": 18},
    "another guild": {"content": f"@bot {QUESTION}", "where": Where.FOREIGN_GUILD},
    "thanks": {"content": "@bot thank you!"},
    "a group": {"content": f"@bot {QUESTION}", "where": Where.GROUP_DM},
}  # fmt: skip


@pytest.mark.parametrize("kind", SILENT)
async def test_what_is_not_to_the_bot_is_left_alone(standin: StandIn, kind: str) -> None:
    async with ready(standin):
        await standin.write(**SILENT[kind])
        await silence(standin)
    assert standin.posted == []


async def test_the_bot_does_not_hear_itself(standin: StandIn) -> None:
    async with ready(standin):
        await standin.answer_to(await standin.write(QUESTION, where=Where.BOT_DM))
        assert await answers(standin)
        await silence(standin)
    assert len(standin.posted) == 1


async def test_an_edit_is_not_answered_again(standin: StandIn) -> None:
    async with ready(standin):
        asked = await standin.write(f"@bot {QUESTION}")
        answer = await standin.answer_to(asked)
        edited = {**asked.stored, "guild_id": standin.guild_id, "content": f"@bot {QUESTION} bs 4"}
        await standin.dispatch("MESSAGE_UPDATE", edited)
        await silence(standin)
    assert standin.posted == [answer]


@pytest.mark.parametrize("text", ["thanks!", "ok cool thank you", "nice"])
async def test_thanks_need_no_answer(standin: StandIn, text: str) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}"))
        await standin.write(text, to=answer)
        await silence(standin)
    assert standin.posted == [answer]


async def test_a_reply_without_a_ping_is_not_heard(standin: StandIn) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}"))
        await standin.write("bs 4", to=answer, ping=False)
        await silence(standin)
    assert standin.posted == [answer]


@pytest.mark.parametrize(
    "text",
    ["x" * 4000, "7B lora " * 500, "`" * 2000, "@everyone " * 300, "\u202e" * 99, "[a](http://b)",
     "<@1> <@&2> <#3> </vram train:4> <t:5> <:e:6>", "A" * 300 + " 7B", "😀" * 500],
)  # fmt: skip
@pytest.mark.parametrize("where", [Where.GUILD, Where.BOT_DM])
async def test_whatever_is_said_is_answered_and_pings_nobody(
    standin: StandIn, text: str, where: Where
) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {text}", where=where))
    content = answer.stored["content"]
    assert "Traceback" not in content
    outside = "".join(content.split("`")[::2])
    assert not set("@<[") & set(outside)
    assert answer.stored["mentions"] == []
    assert not answer.stored["mention_everyone"]


async def test_a_server_that_it_joined_since_is_answered_too(standin: StandIn) -> None:
    """Without the intent for guilds nobody tells it of a new one."""
    async with ready(standin):
        joined = standin.guild_of_shard(0, 1)
        answer = await standin.answer_to(await standin.write(f"@bot {QUESTION}", guild_id=joined))
    assert title(answer).startswith(VERDICT)


async def test_who_only_installed_the_bot_uses_commands(standin: StandIn) -> None:
    """Where it is no member no message reaches it, and none of it would be taken."""
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY, where=Where.FOREIGN_GUILD)
        asked = await standin.write(f"@bot {QUESTION}", where=Where.FOREIGN_GUILD)
        changed = await standin.context_menu(
            "Estimate this", target=asked, where=Where.FOREIGN_GUILD
        )
        await silence(standin)
    assert reply.embeds[0]["title"].startswith(VERDICT)
    assert changed.embeds[0]["title"].startswith(VERDICT)
    assert standin.posted == []


async def test_many_mentions_of_one_person_do_not_use_up_the_bot(standin: StandIn) -> None:
    flood, other = standin.person("flood"), standin.person("other")
    async with ready(standin):
        asked = [await standin.write(f"@bot {QUESTION}", by=flood) for _ in range(30)]
        await standin.answer_to(await standin.write(f"@bot {QUESTION}", by=other), timeout=60)
        for message in asked[: AT_ONCE + 1]:
            await standin.answer_to(message, timeout=60)
        assert await answers(standin)
        await silence(standin)
    whose = [message.stored["referenced_message"]["author"]["id"] for message in standin.posted]
    assert whose.count(other.id) == 1
    assert whose.count(flood.id) == AT_ONCE + 1  # the last says that it is too much


async def test_mentions_of_many_people_stay_below_the_global_limit(standin: StandIn) -> None:
    async with ready(standin):
        asked = [
            await standin.write(f"@bot {QUESTION}", by=standin.person(f"p{n}")) for n in range(60)
        ]
        assert await answers(standin)
        for message in asked:
            await standin.answer_to(message, timeout=20)
    assert {request.status for request in standin.requests_to(MESSAGES)} == {200}
