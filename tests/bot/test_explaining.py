"""Explanations: every topic is answered, by figures that can be worked out again."""

import json
import re
from dataclasses import replace
from io import StringIO
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.ask import Explained, Refused, Replied, Tabled, Weighed, open_desk
from bot.console import reply
from bot.explaining.explainer import Explainer
from bot.explaining.topics import load_topics
from bot.presenting.explanation import Cited, Example, Explanation
from bot.reading.read import Reader
from bot.surface.choices import line_choices
from bot.surface.embed import embed_of
from bot.surface.limits import (
    ELLIPSIS,
    MOST_DESCRIPTION,
    MOST_EMBED,
    MOST_FIELD,
    MOST_TITLE,
)
from estimator import load_catalog

DESK = open_desk()
CATALOG = load_catalog()
TOPICS = load_topics().topics
EXPLAINER = Explainer(Reader(DESK.locale, CATALOG), CATALOG, DESK.locale)
MARKS = re.compile(r"\*\*|`")
WHY = "why did zero3 not shard my qlora base model?"


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_is_explained(topic: str) -> None:
    found = EXPLAINER.explained(topic)
    shown = found.explanation
    assert shown.title == TOPICS[topic].title
    assert shown.brief.endswith(".")
    assert shown.more.endswith(".")
    assert len(shown.examples) == len(found.answers) == len(TOPICS[topic].examples)
    assert all(isinstance(DESK.ask(line), Replied) for line in shown.lines)


@pytest.mark.parametrize("topic", TOPICS)
def test_sources_resolve(topic: str) -> None:
    for cited in EXPLAINER.explained(topic).explanation.sources:
        row = CATALOG.sources.get(cited.id)
        assert row is not None
        assert cited.title == row.title
        assert cited.link in ("", row.where)
    assert any(cited.link for cited in EXPLAINER.explained(topic).explanation.sources) or all(
        "==" in CATALOG.sources.get(one).where  # type: ignore[union-attr]
        for one in TOPICS[topic].sources
    )


@pytest.mark.parametrize("topic", TOPICS)
def test_nothing_of_a_topic_is_cut_on_discord(topic: str) -> None:
    shown = EXPLAINER.explained(topic).explanation
    embed = embed_of(shown)
    assert shown.brief in (embed.description or "")
    assert shown.more in (embed.description or "")
    headings = [field.name for field in embed.fields]
    assert headings == [shown.formula_heading, shown.examples_heading, shown.sources_heading]
    formula, examples, sources = (field.value or "" for field in embed.fields)
    assert shown.formula in formula
    assert all(f"`/vram {one.line}`\n{one.says}" in examples for one in shown.examples)
    assert sources.count("\n- ") == len(shown.sources) - 1
    assert len(embed) <= MOST_EMBED


texts = st.text(st.sampled_from(printable + "`*_~|<>@×…\u202e"), max_size=3000)
EXPLANATIONS = st.builds(
    Explanation,
    title=texts,
    brief=texts,
    more=texts,
    formula_heading=st.just("Formula"),
    formula=texts,
    examples_heading=st.just("In numbers"),
    examples=st.lists(st.builds(Example, line=texts, says=texts), min_size=1).map(tuple),
    sources_heading=st.just("Sources"),
    sources=st.lists(st.builds(Cited, id=texts, title=texts, link=texts), min_size=1).map(tuple),
)


@given(EXPLANATIONS)
def test_the_longest_there_is_keeps_to_the_limits(shown: Explanation) -> None:
    embed = embed_of(shown)
    assert len(embed) <= MOST_EMBED
    assert len(embed.title or "") <= MOST_TITLE
    assert len(embed.description or "") <= MOST_DESCRIPTION
    assert all(len(field.value or "") <= MOST_FIELD for field in embed.fields)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_terminal_says_all_of_it(topic: str) -> None:
    shown = EXPLAINER.explained(topic).explanation
    console = Console(file=StringIO(), width=96, color_system=None, legacy_windows=False)
    assert reply(DESK, f"explain {topic}", console)
    assert isinstance(console.file, StringIO)
    said = re.sub(r"[\s│]+", " ", console.file.getvalue())
    for text in (shown.title, shown.brief, shown.more, shown.formula, *shown.lines):
        assert " ".join(MARKS.sub("", text).split()) in said
    assert ELLIPSIS not in said.replace("wired_limit_mb=…", "")


def test_the_document_is_an_answers_without_an_estimate() -> None:
    found = DESK.ask(WHY)
    assert isinstance(found, Explained)
    document = json.loads(json.dumps(found.document()))
    assert document["error"] is None
    assert document["peak"] is None
    assert document["understood"] == {"strategy": "zero3", "method": "qlora", "task": "train"}
    explained = document["explained"]
    assert explained["topic"] == "sharded_qlora"
    assert explained["answer"].startswith(TOPICS["sharded_qlora"].brief)
    assert [one["line"] for one in explained["examples"]] == list(found.shown.lines)
    assert all(one["peak_bytes"] > 0 for one in explained["examples"])
    answered = DESK.ask("train 7B lora")
    assert isinstance(answered, Replied)
    assert set(document) - {"explained"} <= set(answered.document())


def test_what_is_held_against_each_other_is_told_apart() -> None:
    found = DESK.ask("why does my adam8bit run use the same 9.6GB as torch adam?")
    assert isinstance(found, Explained)
    assert [side.get("optimizer") for side in found.sides] == ["adamw_8bit", "adamw"]


NOTED = {
    "32B full zero3 bs 1 8x H200: one 55 GiB allocation kills it. what is that buffer?": (
        "one_allocation"
    ),
    "TinyLlama LoRA, why does it take more than full at 8192 tokens?": "lora_activations",
    "deepspeed estimator printed 0.12GB for a 3B zero3 offload. what's missing?": "zero_estimator",
    "why does a 4bit 7b take 5.4gb and not 3.5": "four_bit",
    "8B ctx 110000, one says 22GB, the other 11. who is right": "kv_cache",
}


@pytest.mark.parametrize("question", NOTED)
def test_an_estimate_goes_before_and_the_reason_is_a_note(question: str) -> None:
    found = DESK.ask(question)
    brief = TOPICS[NOTED[question]].brief
    assert isinstance(found, Replied | Weighed)
    assert found.shown.warnings[0] == brief
    if isinstance(found, Replied):
        assert found.document()["warnings"][0] == brief


@pytest.mark.parametrize(
    "question",
    [
        "why does vllm take so much for awq 7B vs gptq 7B?",
        "7B lora vs qlora, why is qlora above lora at 8k?",
    ],
)
def test_a_comparison_has_the_note_too(question: str) -> None:
    found = DESK.ask(question)
    assert isinstance(found, Weighed)
    assert found.shown.warnings[0] in {topic.brief for topic in TOPICS.values()}


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("which gpu should I buy for $800", "not_language"),
        ("why does flux need so much vram, what is fp8?", "not_language"),
        ("24GB enough?", "no_model"),
        ("kv cache", "no_value"),
        ("why?", "no_model"),
        ("what is that", "no_model"),
    ],
)
def test_what_is_no_such_question_is_refused_as_before(question: str, code: str) -> None:
    found = DESK.ask(question)
    assert isinstance(found, Refused)
    assert found.code == code


def test_a_model_that_the_hub_may_know_is_asked_about_first() -> None:
    found = DESK.ask("why does somebody/frob-13b need all experts in memory?")
    assert isinstance(found, Refused | Replied)
    assert found.strange


def test_a_question_back_about_a_known_model_gives_way() -> None:
    found = DESK.ask("why does mixtral 8x7b need all experts in memory?")
    assert isinstance(found, Explained)
    assert found.topic == "moe"
    assert found.understood["model"] == "mistralai/Mixtral-8x7B-v0.1"
    plain = DESK.ask("mixtral 8x7b")
    assert isinstance(plain, Refused | Replied | Tabled)


def test_a_line_that_is_typed_says_what_it_is_about() -> None:
    ahead = DESK.ahead(WHY, {"task": "train"})
    first = line_choices(WHY, ahead.shown, ahead.lines)[0]
    assert first.name == TOPICS["sharded_qlora"].title
    assert first.value == WHY


def test_a_long_question_keeps_a_line_in_the_list() -> None:
    shown = EXPLAINER.explained("kv_cache").explanation
    assert line_choices("why " * 60, shown)[0].value == shown.lines[0]
    assert line_choices("why", replace(shown, title="x" * 300))[0].name.endswith(ELLIPSIS)
