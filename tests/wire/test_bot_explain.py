"""`/vram explain` through the socket: topics, their list, presses from one to the next."""

import pytest
from discord.utils import escape_markdown

from bot.explaining.topics import load_topics
from tests.wire.our_bot import ready
from tests.wire.painters import drawing
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_answers import said
from tests.wire.under import COPY, OPEN, SELECT, ids, part, stored, values

pytestmark = pytest.mark.usefixtures("unhurried")

TOPIC, TO_ALL = "v1:topic", "v1:topic:all"
GROUPS = [f"{TOPIC}:{group}" for group in load_topics().groups]
UPDATE, MESSAGE = 7, 4
TOPICS = load_topics().topics


def title(of: object) -> str:
    return str(stored(of)["embeds"][0]["title"])  # type: ignore[arg-type]


@pytest.mark.parametrize("where", Where)
async def test_a_topic_is_explained_in_every_context(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "lora"}, where=where)
    assert not reply.ephemeral
    assert title(reply) == TOPICS["lora"].title
    assert TOPICS["lora"].formula in said(reply)
    assert "`/vram train 8B lora`" in said(reply)
    alone = where is Where.BOT_DM
    assert ids(reply) == [OPEN, TOPIC, TO_ALL, *([] if alone else [COPY])]
    assert values(reply, TOPIC) == list(TOPICS["lora"].related)


@pytest.mark.parametrize(
    ("typed", "topic"),
    [
        ("gqa", "gqa"),
        ("KV cache", "kv_cache"),
        ("Grouped-query attention (GQA)", "gqa"),
        ("why is zero3 bigger", "zero_stages"),
        ("what is paged attention?", "paged_attention"),
        ("packi", "packing"),
        ("gradient chekpoint", "checkpointing"),
    ],
)
async def test_a_name_and_a_question_do_as_well(standin: StandIn, typed: str, topic: str) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": typed})
    assert title(reply) == TOPICS[topic].title


async def test_it_is_private_where_that_is_asked(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "dora", "private": True})
    assert reply.ephemeral
    assert COPY not in ids(reply)


async def test_what_is_no_topic_is_said_alone_with_the_nearest(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "flux capacitor"})
        assert reply.ephemeral
        content = stored(reply)["content"]
        assert "`flux capacitor`" in content
        assert content.count("`/vram explain ") == 4
        lines = values(reply, "v1:open:all")
        label = part(reply, "v1:open:all")["options"][0]["label"]
        other = await standin.press("v1:open:all", reply, SELECT, [lines[0]])
    assert title(other) == TOPICS[label.removeprefix("explain ")].title


async def test_while_nothing_is_typed_the_first_of_each_group_are_listed(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram explain", {"topic": ""}, "topic")
    first = [key for keys in load_topics().groups.values() for key in keys[:5]]
    assert reply.choices == [{"name": TOPICS[key].title, "value": key} for key in first]
    assert len(first) == 25


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("kv", "kv_cache"),
        ("grouped", "gqa"),
        ("chekpointing", "checkpointing"),
        ("why does lora take so much", "lora_activations"),
        ("expandable", "reserved"),
        ("top", "topics"),
    ],
)
async def test_topics_are_found_while_they_are_typed(
    standin: StandIn, typed: str, first: str
) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram explain", {"topic": typed}, "topic")
    assert reply.choices[0]["value"] == first
    assert len(reply.choices) <= 25


async def test_all_topics_are_listed_by_group_and_one_is_a_press(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "topics"})
        (embed,) = reply.embeds
        assert len(embed["fields"]) == len(GROUPS)
        assert all(escape_markdown(topic.title) in said(reply) for topic in TOPICS.values())
        assert ids(reply) == GROUPS
        listed = [key for group in GROUPS for key in values(reply, group)]
        assert sorted(listed) == sorted(TOPICS)
        pressed = await standin.press(GROUPS[3], reply, SELECT, ["mla"])
        assert pressed.type == UPDATE
        assert title(reply) == TOPICS["mla"].title
        back = await standin.press(TO_ALL, reply)
    assert back.type == UPDATE
    assert ids(reply) == GROUPS


async def test_a_related_topic_takes_the_place_of_ones_own(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "lora"})
        for key in ("qlora", "four_bit"):
            pressed = await standin.press(TOPIC, reply, SELECT, [key])
            assert pressed.type == UPDATE
            assert title(reply) == TOPICS[key].title
            assert values(reply, TOPIC) == list(TOPICS[key].related)


async def test_under_anothers_it_is_for_who_pressed_alone(standin: StandIn) -> None:
    bob = standin.person("bob")
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "lora"})
        before = dict(stored(reply))
        copy = await standin.press(TOPIC, reply, SELECT, ["rank"], by=bob)
        assert copy.type == MESSAGE
        assert copy.ephemeral
        assert title(copy) == TOPICS["rank"].title
        assert COPY not in ids(copy)
        again = await standin.press(TO_ALL, copy, by=bob)
    assert again.type == UPDATE
    assert ids(copy) == GROUPS
    assert stored(reply) == before


async def test_a_message_that_mentions_the_bot_is_answered_with_the_same(standin: StandIn) -> None:
    async with ready(standin):
        asked = await standin.write("@bot explain lora")
        answer = await standin.answer_to(asked)
        assert title(answer) == TOPICS["lora"].title
        assert ids(answer) == [OPEN, TOPIC, TO_ALL, COPY]
        pressed = await standin.press(TO_ALL, answer)
        assert pressed.type == UPDATE
        listed = await standin.answer_to(await standin.write("@bot /vram explain topics"))
    assert ids(answer) == ids(listed) == GROUPS


async def test_a_topic_that_is_no_more_is_said_to_be_gone(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram explain", {"topic": "lora"})
        part(reply, TOPIC)["options"][0]["value"] = "of_old"
        pressed = await standin.press(TOPIC, reply, SELECT, ["of_old"])
    assert pressed.ephemeral
    assert "another time" in pressed.content
    assert title(reply) == TOPICS["lora"].title


@pytest.mark.usefixtures("in_any_time")
async def test_the_picture_is_that_of_the_topic_that_is_shown(standin: StandIn) -> None:
    async with drawing() as painter, ready(standin, painter=painter):
        reply = await standin.slash("vram explain", {"topic": "gqa"})
        (first,) = stored(reply)["attachments"]
        assert TOPICS["gqa"].title in first["description"]
        await standin.press(TOPIC, reply, SELECT, ["kv_cache"])
        (second,) = stored(reply)["attachments"]
        assert TOPICS["kv_cache"].title in second["description"]
        await standin.press(TO_ALL, reply)
    assert stored(reply)["attachments"] == []
