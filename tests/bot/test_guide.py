"""What `/vram explain` answers, and what it lists while a topic is typed."""

from io import StringIO

import pytest
from discord.utils import escape_markdown
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.ask import Explained, Indexed, Refused, Replied, open_desk
from bot.console import reply
from bot.explaining.guide import ALL, EXPLAIN, FIRST, NEAREST
from bot.explaining.topics import load_topics
from bot.reading.options import COMMAND
from bot.surface.contents import ITEM
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_CHOICES, MOST_EMBED, MOST_FIELD

DESK = open_desk()
GUIDE = DESK.guide
TOPICS, GROUPS = load_topics().topics, load_topics().groups


def asked(text: str) -> Explained | Indexed | Refused:
    found = DESK.ask(text, {COMMAND: EXPLAIN})
    assert isinstance(found, Explained | Indexed | Refused)
    return found


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_is_found_by_its_id_and_by_its_title(topic: str) -> None:
    for name in (topic, TOPICS[topic].title, f"explain {topic}"):
        found = asked(name)
        assert isinstance(found, Explained)
        assert found.topic == topic
    assert GUIDE.choices(TOPICS[topic].title, MOST_CHOICES)[0].id == topic


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("why is zero3 bigger", "zero_stages"),
        ("What is MLA?", "mla"),
        ("PagedAttention", "paged_attention"),
        ("torch.compile", "compiling"),
        ("sliding-window attention", "sliding_window"),
        ("gradient checkpoiting", "checkpointing"),
        ("quantised kv cach", "cache_types"),
        ("why does 7B lora take more than full at 8192", "lora_activations"),
        ("warum belegt vLLM die ganze Karte?", "vllm_share"),
    ],
)
def test_it_is_found_by_other_words(text: str, topic: str) -> None:
    found = asked(text)
    assert isinstance(found, Explained)
    assert found.topic == topic


@pytest.mark.parametrize("text", ["topics", "Topics", "explain topics", "list", "all topics"])
def test_all_topics_are_a_topic(text: str) -> None:
    assert isinstance(asked(text), Indexed)


@pytest.mark.parametrize(
    "line", ["explain topics", "/vram explain topics", "topics", "explain list", "explain"]
)
def test_a_line_asks_for_all_of_them_too(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Indexed)
    document = found.document()
    assert document["error"] is None
    assert {group: tuple(keys) for group, keys in document["topics"].items()} == dict(GROUPS)


@pytest.mark.parametrize(
    "line", ["explain frobnication", "/vram explain frob", "Explain  the flux capacitor"]
)
def test_a_line_that_explains_what_is_no_topic_offers_the_nearest(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.code == "no_topic"


def test_a_line_that_asks_for_an_estimate_does_not() -> None:
    assert isinstance(DESK.ask("train 7B lora"), Replied)
    assert not GUIDE.is_all("list the topics of 7B lora")


@pytest.mark.parametrize("text", ["flux capacitor", "?", "zzzzzz", "`x`", "<@1>", "x" * 5000])
def test_what_is_no_topic_offers_the_nearest(text: str) -> None:
    found = asked(text)
    assert isinstance(found, Refused)
    assert found.code == "no_topic"
    *nearest, last = found.refusal.lines
    assert last == f"{EXPLAIN} {ALL}"
    assert len(nearest) == len(set(nearest)) == NEAREST
    assert all(line.removeprefix(f"{EXPLAIN} ") in TOPICS for line in nearest)
    assert found.refusal.wrong.count("`") == 2
    assert len(found.refusal.wrong) < 200


@pytest.mark.parametrize("topic", TOPICS)
def test_a_line_of_a_refusal_is_answered_as_it_stands(topic: str) -> None:
    found = DESK.ask(f"{EXPLAIN} {topic}")
    assert isinstance(found, Explained)
    assert found.topic == topic


def test_before_anything_is_typed_there_are_the_first_of_each_group() -> None:
    listed = [one.id for one in GUIDE.choices("", MOST_CHOICES)]
    assert listed == [key for keys in GROUPS.values() for key in keys[:FIRST]]
    assert len(listed) == MOST_CHOICES


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lo", ["lora", "logits"]),
        ("lora", ["lora", "rank"]),
        ("kv", ["kv_cache", "cache_types"]),
        ("zero", ["zero_stages", "zero_estimator"]),
        ("check", ["checkpointing"]),
        ("chekpoint", ["checkpointing"]),
        ("paral", ["tensor_parallel", "pipeline_parallel"]),
        ("fp8", ["precision", "fp8_training"]),
        ("li", [ALL]),
    ],
)
def test_half_typed_words_find_topics(typed: str, expected: list[str]) -> None:
    found = [one.id for one in GUIDE.choices(typed, MOST_CHOICES)]
    assert set(expected) <= set(found)
    assert found[0] == expected[0]
    assert len(found) == len(set(found)) <= MOST_CHOICES


@given(st.text(max_size=100))
def test_whatever_is_typed_gets_a_list_and_an_answer(typed: str) -> None:
    found = GUIDE.choices(typed, MOST_CHOICES)
    assert len(found) <= MOST_CHOICES
    assert {one.id for one in found} <= {*TOPICS, ALL}
    asked(typed)


def test_nothing_of_the_list_is_cut() -> None:
    embed = embed_of(GUIDE.contents().shown)
    assert len(embed) <= MOST_EMBED
    said = [title for field in embed.fields for title in (field.value or "").splitlines()]
    titles = [TOPICS[key].title for keys in GROUPS.values() for key in keys]
    assert said == [f"{ITEM}{escape_markdown(title)}" for title in titles]
    assert all(len(field.value or "") <= MOST_FIELD for field in embed.fields)


def test_a_terminal_lists_what_to_type() -> None:
    console = Console(file=StringIO(), width=96, color_system=None, legacy_windows=False)
    assert reply(DESK, "explain topics", console)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert all(f"  {EXPLAIN} {topic} " in said for topic in TOPICS)
