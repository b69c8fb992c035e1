"""What people type, through the socket, and what they read."""

import pytest

from bot.ask import Replied, Weighed
from bot.surface.embed import COLOURS
from tests.wire.our_bot import DESK, ready
from tests.wire.standin import Reply, StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

EPHEMERAL = 64
QUESTION = "7B adam lora"

# Kinds of text that are not a plain question, and a word that the answer must hold.
BAD = {
    "nothing": (" ", "nothing to read"),
    "an unknown word": ("7B lora frobadam", "frobadam"),
    "a typing error": ("mistrol 7b lora", "mistral"),
    "a model that is not": ("foo/bar-7b lora", "foo/bar-7b"),
    "a contradiction": ("7B 13B lora", "cannot both hold"),
    "no model": ("adam lora", "Which model"),
    "an impossible number": ("7B lora bs 0", "whole number"),
    "a loose number": ("7B lora 4", "needs its word"),
    "a huge number": ("7B lora r=99999999999999999999", "cannot be"),
    "too long": ("\ufdfa" * 500, "At most"),  # of which one letter is eighteen
    "a flood of one letter": ("a" * 1199, "I do not know"),
    "emoji": ("🦙🦙🦙", "Which model"),
    "another direction of writing": ("\u202e7B\u202d qqqq", "qqqq"),
    "pings": ("@everyone <@123456789012345678> @here zzzzq", "zzzzq"),
    "markdown": ("**7B** `bs 4` ||zzzzq|| [x](http://evil.example)", "zzzzq"),
    "code": ("'; DROP TABLE models; -- zzzzq", "I do not know"),
    "a format string": ("7B {0} %(x)n zzzzq", "I do not know"),
    "control characters": ("7B \x00\x07\x1b[31m zzzzq", "zzzzq"),
    "not estimated": ("70B qlora tp 8 8xH100", "bitsandbytes packs"),
}


def said(reply: Reply) -> str:
    """All the words of a reply."""
    parts = [reply.content]
    for embed in reply.embeds:
        parts += [embed.get("title", ""), embed.get("description", "")]
        parts += [text for field in embed["fields"] for text in (field["name"], field["value"])]
    return "\n".join(parts)


async def test_the_command_is_answered_with_the_whole_embed(standin: StandIn) -> None:
    replied = DESK.ask(f"train {QUESTION}")
    assert isinstance(replied, Replied)
    shown = replied.presentation
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": QUESTION})
    (embed,) = reply.embeds
    assert reply.type == 4
    assert not reply.ephemeral
    assert embed["title"] == shown.headline
    assert embed["color"] == COLOURS[shown.tone].value
    headings = [field["name"] for field in embed["fields"]]
    assert headings[0] == "Which cards hold it"
    assert "Where it goes at the peak, in the loss" in headings
    assert "13.50  86% Weights" in said(reply)
    assert "**24 GB: yes**" in said(reply)
    assert all(f"`{one.label} {one.value}`" in said(reply) for one in shown.assumed)
    assert embed["fields"][-1]["value"] == "`/vram train 7B lora adamw`"


@pytest.mark.parametrize("where", Where)
async def test_it_answers_in_every_context(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        train = await standin.slash("vram train", {"query": QUESTION}, where=where)
        infer = await standin.slash("vram infer", {"query": "8B q4_k_m ctx 8k"}, where=where)
        compare = await standin.slash("vram compare", {"query": "lora vs qlora 7B"}, where=where)
        help_ = await standin.slash("vram help", where=where)
    assert compare.embeds[0]["title"] == "qlora takes 7.5 GiB, lora 8.2 GiB more"
    assert train.embeds[0]["title"].startswith("15.7 GiB (16.9 GB)")
    assert infer.embeds[0]["fields"][-1]["value"] == "`/vram infer 8B Q4_K_M ctx 8192`"
    assert help_.ephemeral


async def test_options_win_over_the_text(standin: StandIn) -> None:
    options: dict[str, str | int | bool | float] = {
        "query": "7B adam lora bs 2",
        "model": "llama 3.1 8b",
        "method": "qlora",
        "optimizer": "adamw_8bit",
        "precision": "nf4",
        "batch": 4,
        "seq": 4096,
        "gpus": "2x 4090",
        "rank": 32,
        "checkpointing": "none",
        "strategy": "ddp",
    }
    async with ready(standin):
        reply = await standin.slash("vram train", options)
    line = reply.embeds[0]["fields"][-1]["value"]
    assert line == (
        "`/vram train meta-llama/Llama-3.1-8B qlora nf4 adamw_8bit no checkpointing ddp "
        "r=32 bs 4 seq 4096, 2x rtx-4090`"
    )
    assert "The option `batch` wins over `bs 2`." in said(reply)


async def test_options_of_serving(standin: StandIn) -> None:
    options: dict[str, str | int | bool | float] = {
        "query": "8B",
        "precision": "awq4",
        "context": 16_384,
        "users": 4,
        "gpus": "24GB",
        "kv": "fp8",
        "engine": "vllm",
    }
    async with ready(standin):
        reply = await standin.slash("vram infer", options)
    line = reply.embeds[0]["fields"][-1]["value"]
    assert line == "`/vram infer 8B awq4 vllm users 4 ctx 16384 kv fp8, 24GB`"


async def test_options_of_comparing_hold_for_all_sides(standin: StandIn) -> None:
    options: dict[str, str | int | bool | float] = {
        "query": "lora vs qlora bs 1",
        "task": "train",
        "model": "llama 3.1 8b",
        "batch": 2,
        "seq": 1024,
        "gpus": "4090",
    }
    async with ready(standin):
        reply = await standin.slash("vram compare", options)
    lines = reply.embeds[0]["fields"][-1]["value"].splitlines()
    start, end = "`/vram train meta-llama/Llama-3.1-8B", "bs 2 seq 1024, rtx-4090`"
    assert lines == [f"{start} qlora {end}", f"{start} lora {end}"]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("7B lora", "usual methods"),  # one thing alone
        ("7B", "train 7B"),  # to train it or to run it
        ("lora vs qlora", "Which model"),
        ("Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_0 Q4_K_M Q5_K_M Q6_K Q8_0 8B", "9 things"),
        (" ", "nothing to read"),
    ],
)
async def test_comparing_asks_back_or_takes_the_usual(
    standin: StandIn, query: str, word: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram compare", {"query": query})
    assert word in said(reply)


@pytest.mark.parametrize("kind", BAD)
async def test_bad_input_is_answered_in_private(standin: StandIn, kind: str) -> None:
    text, word = BAD[kind]
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": text}, check=False)
    assert reply.ephemeral
    assert word in reply.content
    assert "Understood: `" in reply.content
    assert "Type: `/vram train " in reply.content
    assert "Traceback" not in reply.content
    outside = "".join(reply.content.split("`")[::2])
    assert not set("@<[") & set(outside)
    assert "http" not in outside


@pytest.mark.parametrize(
    "text", ["7B adam lora @everyone <@1> <@&2> please, what is it?", "hey @here, 7B on a 3090?"]
)
async def test_nobody_is_pinged(standin: StandIn, text: str) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": text})
    assert reply.data["allowed_mentions"] == {"parse": []}
    assert "@" not in said(reply)


async def test_the_lines_of_an_error_are_answered(standin: StandIn) -> None:
    async with ready(standin):
        wrong = await standin.slash("vram train", {"query": "mistrol 7b lora"})
        line = wrong.content.split("Type: `/vram train ")[1].split("`")[0]
        right = await standin.slash("vram train", {"query": line})
    assert right.embeds


async def test_what_was_understood_is_listed_while_one_types(standin: StandIn) -> None:
    async with ready(standin):
        whole = await standin.autocomplete("vram train", {"query": QUESTION}, "query")
        half = await standin.autocomplete("vram train", {"query": "lora"}, "query")
        none = await standin.autocomplete("vram infer", {"query": ""}, "query")
        more = await standin.autocomplete(
            "vram train", {"query": QUESTION, "batch": 8, "model": "8B"}, "query"
        )
    assert whole.choices[0] == {
        "name": "15.7 GiB (16.9 GB): train 7B lora adamw",
        "value": QUESTION,
    }
    assert half.choices[0]["name"].startswith("Which model?")
    assert {"name": "lora 7B", "value": "lora 7B"} in half.choices
    assert none.choices[0]["value"] == "infer 8B q4_k_m ctx 8k"
    assert more.choices[0]["name"].endswith("train 8B lora adamw bs 8")


async def test_the_word_being_typed_is_completed(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram train", {"query": "7B q"}, "query")
        cards = await standin.autocomplete("vram train", {"query": "7B lora 3090"}, "query")
    first, second = reply.choices[:2]
    assert first["name"].startswith("Not finished: q. So far 108.5 GiB")
    assert first["value"] == "7B"
    assert second == {"name": "7B qlora", "value": "7B qlora"}
    assert cards.choices[0]["name"].startswith("yes, 15.7 GiB")


@pytest.mark.parametrize(
    ("option", "typed", "first"),
    [
        ("model", "qwen2.5-7", "Qwen/Qwen2.5-7B"),
        ("gpus", "2x h100", "2x h100"),
        ("gpus", "rtx 40", "rtx-4090"),
        ("optimizer", "adamw_8", "adamw_8bit"),
    ],
)
async def test_names_are_listed_while_one_types(
    standin: StandIn, option: str, typed: str, first: str
) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram train", {"query": "x", option: typed}, option)
    assert reply.choices[0]["value"] == first
    assert len(reply.choices) <= 25


@pytest.mark.parametrize("typed", ["", "x" * 6000, "@here", "7B lora " * 99, "`" * 50, "\u202e"])
@pytest.mark.parametrize("option", ["query", "model", "gpus", "optimizer"])
async def test_whatever_is_typed_is_listed_within_the_limits(
    standin: StandIn, option: str, typed: str
) -> None:
    async with ready(standin):
        reply = await standin.autocomplete(
            "vram train", {"query": "7B", option: typed}, option, check=False
        )
    assert reply.type == 8


async def test_help_says_what_to_ask_and_how_sure_it_is(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram help")
    (vram,) = [command for command in standin.commands if command["name"] == "vram"]
    assert reply.ephemeral
    assert f"</vram train:{vram['id']}>" in said(reply)
    assert f"</vram infer:{vram['id']}>" in said(reply)
    for section in DESK.locale.help.sections.values():
        assert section.heading in said(reply)


async def test_what_is_compared_is_one_embed_for_everyone(standin: StandIn) -> None:
    query = "compare lora qlora full 7B bs 4"
    weighed = DESK.ask(query, {"task": "train"})
    assert isinstance(weighed, Weighed)
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": query})
    (embed,) = reply.embeds
    assert not reply.ephemeral
    assert embed["title"] == weighed.comparison.headline
    assert [row.number in said(reply) for row in weighed.comparison.rows] == [True] * 3
