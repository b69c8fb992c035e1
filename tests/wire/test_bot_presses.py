"""Presses under answers, over real sockets: in place, in private, on a copy."""

import pytest

from tests.wire.channels import Permissions
from tests.wire.our_bot import QUERY, VERDICT, ready
from tests.wire.standin import StandIn, Where
from tests.wire.under import (
    COMPARE,
    COPY,
    EXACT,
    FIT,
    HOW,
    MATHS,
    MEASURED,
    OPEN,
    SELECT,
    SIZE,
    chosen,
    ids,
    line_of,
    part,
    stored,
    values,
)

pytestmark = pytest.mark.usefixtures("unhurried")

UPDATE, MESSAGE = 7, 4
SERVED = {"query": "llama 3.1 8b ctx 128k rtx 4080"}


async def test_an_answer_has_one_row_of_buttons_and_two_lists(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
    assert ids(reply) == [HOW, SIZE, MATHS, COMPARE, EXACT, MEASURED, COPY]
    assert all(2 <= len(values(reply, one)) <= 25 for one in (HOW, SIZE))
    labels = [one["label"] for one in part(reply, HOW)["options"]]
    assert "Method: QLoRA" in labels
    now = [one["label"] for one in part(reply, HOW)["options"] if one.get("description") == "now"]
    assert now == ["Method: LoRA", "Optimizer: AdamW", "Precision: bf16", "Checkpointing: full"]


@pytest.mark.parametrize(
    ("select", "value", "line"),
    [
        (HOW, "qlora", "train 7B qlora adamw"),
        (HOW, "adamw_8bit", "train 7B lora adamw_8bit"),
        (HOW, "fp32", "train 7B lora fp32 adamw"),
        (HOW, "no checkpointing", "train 7B lora adamw no checkpointing"),
        (SIZE, "bs 8", "train 7B lora adamw bs 8"),
        (SIZE, "seq 8192", "train 7B lora adamw seq 8192"),
        (SIZE, "24GB", "train 7B lora adamw, 24GB"),
    ],
)
async def test_one_press_changes_any_assumption_of_training(
    standin: StandIn, select: str, value: str, line: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        pressed = await standin.press(select, reply, SELECT, [value])
    assert pressed.type == UPDATE
    assert line_of(reply) == line
    assert chosen(reply, select) == [value]


@pytest.mark.parametrize(
    ("select", "value", "line"),
    [
        (HOW, "Q4_K_M", "infer Llama-3.1-8B Q4_K_M ctx 131072, rtx-4080"),
        (HOW, "kv fp8", "infer Llama-3.1-8B ctx 131072 kv fp8, rtx-4080"),
        (HOW, "sglang", "infer Llama-3.1-8B sglang ctx 131072, rtx-4080"),
        (SIZE, "users 4", "infer Llama-3.1-8B users 4 ctx 131072, rtx-4080"),
        (SIZE, "ctx 8192", "infer Llama-3.1-8B ctx 8192, rtx-4080"),
        (SIZE, "2x rtx-4080", "infer Llama-3.1-8B ctx 131072, 2x rtx-4080"),
    ],
)
async def test_one_press_changes_any_assumption_of_serving(
    standin: StandIn, select: str, value: str, line: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram infer", SERVED)
        pressed = await standin.press(select, reply, SELECT, [value])
    assert pressed.type == UPDATE
    assert line_of(reply).replace("meta-llama/", "") == line


async def test_each_piece_of_advice_is_a_press_and_then_it_fits(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram infer", SERVED)
        ways = values(reply, FIT)
        assert ways
        await standin.press(FIT, reply, SELECT, [ways[0]])
    assert reply.embeds[0]["title"].startswith("yes") or "fits" in reply.embeds[0]["title"]
    assert FIT not in ids(reply)


async def test_a_press_of_another_person_gives_them_a_copy_of_their_own(standin: StandIn) -> None:
    bob = standin.person("bob")
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        before = dict(stored(reply))
        copy = await standin.press(HOW, reply, SELECT, ["qlora"], by=bob)
        assert copy.type == MESSAGE
        assert copy.ephemeral
        assert line_of(copy) == "train 7B qlora adamw"
        assert stored(reply) == before
        assert COPY not in ids(copy)
        again = await standin.press(SIZE, copy, SELECT, ["bs 4"], by=bob)
    assert again.type == UPDATE
    assert line_of(copy) == "train 7B qlora adamw bs 4"
    assert stored(reply) == before


@pytest.mark.parametrize("where", list(Where))
async def test_a_press_is_answered_wherever_an_answer_is(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY, where=where)
        await standin.press(HOW, reply, SELECT, ["qlora"], where=where)
    assert line_of(reply) == "train 7B qlora adamw"
    assert (COPY in ids(reply)) is (where is not Where.BOT_DM)


async def test_the_maths_are_a_private_reply_in_pages(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        before = dict(stored(reply))
        maths = await standin.press(MATHS, reply)
        assert maths.ephemeral
        first = maths.embeds[0]
        assert first["title"] == "The maths, page 1 of 3"
        assert first["fields"][0]["name"] == "Weights: 13.5 GiB, counted"
        assert "`7,248,023,552 × 2 = 14,496,047,104`" in first["fields"][0]["value"]
        assert "docs.pytorch.org" in first["fields"][0]["value"]
        assert ids(maths) == ["v1:maths:2"]
        turned = await standin.press("v1:maths:2", maths)
        assert turned.type == UPDATE
        assert ids(maths) == ["v1:maths:1", "v1:maths:3"]
        rules = "\n".join(one["name"] + one["value"] for one in maths.embeds[0]["fields"])
        await standin.press("v1:maths:3", maths)
    assert "The LoRA rule: 17.2 GB" in rules
    assert "GiB more than the estimate" in rules
    assert maths.embeds[0]["title"] == "The maths, page 3 of 3"
    assert stored(reply) == before


@pytest.mark.parametrize(
    ("command", "query", "sides"),
    [
        ("vram train", "7B adam lora", ["full", "lora", "qlora"]),
        ("vram infer", "8B", ["bf16", "fp8", "awq4"]),
        ("vram infer", "8B q4_k_m", ["Q5_K_M", "Q4_K_M", "Q3_K_M"]),
    ],
)
async def test_it_is_compared_with_its_neighbours(
    standin: StandIn, command: str, query: str, sides: list[str]
) -> None:
    async with ready(standin):
        reply = await standin.slash(command, {"query": query})
        compared = await standin.press(COMPARE, reply)
    assert compared.ephemeral
    for side in sides:
        assert side in compared.embeds[0]["fields"][-1]["value"]
    assert line_of(reply) in compared.embeds[0]["fields"][-1]["value"]


LED_ON = {
    "vram compare": "lora vs qlora 7B",
    "vram fit": "4090",
    "vram train": "why did zero3 not shard my qlora base model?",
}


@pytest.mark.parametrize("command", LED_ON)
async def test_lines_of_other_answers_are_presses(standin: StandIn, command: str) -> None:
    async with ready(standin):
        reply = await (await standin.slash(command, {"query": LED_ON[command]})).finished()
        before = dict(stored(reply))
        for value in values(reply, OPEN):
            shown = await standin.press(OPEN, reply, SELECT, [value])
            assert shown.ephemeral
            assert line_of(shown) in str(before["embeds"])
            assert HOW in ids(shown)
    assert stored(reply) == before


async def test_remedies_of_an_explained_message_are_presses(standin: StandIn) -> None:
    log = (
        "CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 23.69 GiB "
        "of which 1.18 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB "
        "memory in use. Of the allocated memory 21.60 GiB is allocated by PyTorch, and 481.20 MiB "
        "is reserved by PyTorch but unallocated."
    )
    ran = "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing"
    async with ready(standin):
        reply = await standin.slash("vram oom", {"query": log, "settings": ran})
        assert ids(reply) == [OPEN, COPY]
        shown = await standin.press(OPEN, reply, SELECT, ["0"])
    assert shown.ephemeral
    assert "fits" in shown.embeds[0]["title"] or "yes" in shown.embeds[0]["title"]


async def test_a_private_copy_can_be_changed_and_the_answer_stays(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        before = dict(stored(reply))
        copy = await standin.press(COPY, reply)
        assert copy.ephemeral
        assert copy.embeds == reply.embeds
        assert ids(copy) == [one for one in ids(reply) if one != COPY]
        await standin.press(SIZE, copy, SELECT, ["bs 4"])
    assert line_of(copy) == "train 7B lora adamw bs 4"
    assert stored(reply) == before


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("vram train", "7B adam lora"),
        ("vram infer", "8B q4_k_m"),
        ("vram fit", "4090"),
        ("vram compare", "lora vs qlora 7B"),
        ("vram oom", "CUDA out of memory. Tried to allocate 2.00 GiB."),
        ("vram train", "7B frobadam"),
    ],
)
async def test_private_answers_are_given_on_request(
    standin: StandIn, command: str, query: str
) -> None:
    async with ready(standin):
        reply = await standin.slash(command, {"query": query, "private": True})
        await reply.finished()
        other = await standin.slash(command, {"query": query, "private": False})
        await other.finished()
    assert reply.ephemeral
    assert COPY not in ids(reply)
    assert other.ephemeral is ("frobadam" in query)


async def test_answers_to_messages_are_pressed_by_who_asked(standin: StandIn) -> None:
    bob = standin.person("bob")
    async with ready(standin):
        answer = await standin.answer_to(await standin.write("@bot train 7B adam lora"))
        assert ids(answer) == [HOW, SIZE, MATHS, COMPARE, EXACT, MEASURED, COPY]
        copy = await standin.press(HOW, answer, SELECT, ["qlora"], by=bob)
        assert copy.ephemeral
        assert line_of(answer) == "train 7B lora adamw"
        pressed = await standin.press(SIZE, answer, SELECT, ["bs 4"])
    assert pressed.type == UPDATE
    assert line_of(answer) == "train 7B lora adamw bs 4"


async def test_an_answer_in_words_can_be_pressed_too(standin: StandIn) -> None:
    channel = standin.world.places.channel_ids[Where.GUILD]
    standin.world.permissions[channel] = Permissions(embed=False)
    async with ready(standin):
        answer = await standin.answer_to(await standin.write("@bot train 7B adam lora"))
        assert answer.stored["content"].startswith(f"**{VERDICT}")
        await standin.press(HOW, answer, SELECT, ["qlora"])
    assert line_of(answer) == "train 7B qlora adamw"
    assert answer.stored["content"] == ""


@pytest.mark.parametrize("private", [False, True])
async def test_what_to_type_instead_is_a_press_and_its_answer_is_as_was_asked(
    standin: StandIn, private: bool
) -> None:
    async with ready(standin):
        refused = await standin.slash("vram train", {"query": "7B frobadam", "private": private})
        assert refused.ephemeral
        (select,) = ids(refused)
        answer = await standin.press(select, refused, SELECT, ["0"])
        await standin.press(HOW, answer, SELECT, ["qlora"])
    assert f"`/vram {part(refused, select)['options'][0]['label']}`" in refused.content
    assert answer.ephemeral is private
    assert line_of(answer).startswith("train 7B qlora")


@pytest.mark.parametrize("where", [Where.GUILD, Where.BOT_DM])
async def test_what_to_type_instead_of_a_message_is_a_press_too(
    standin: StandIn, where: Where
) -> None:
    async with ready(standin):
        refused = await standin.answer_to(
            await standin.write("@bot train 7B frobadam", where=where)
        )
        (select,) = ids(refused)
        answer = await standin.press(select, refused, SELECT, ["0"], where=where)
        if where is Where.GUILD:
            bob = standin.person("bob")
            other = await standin.press(select, refused, SELECT, ["0"], by=bob)
            assert other.ephemeral
    assert not answer.ephemeral
    assert line_of(answer) in refused.stored["content"]
