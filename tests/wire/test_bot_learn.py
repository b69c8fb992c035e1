"""The walk of `/vram learn`, over real sockets: step by step, by others, again and too fast."""

import asyncio
import copy

import pytest

from bot.languages import SPOKEN
from bot.learning.place import START, Place, name_of
from bot.learning.steps import STEPS, VALUES, Axis, Step
from bot.learning.teach import lesson
from bot.locale import load_locale
from bot.localised import in_english
from bot.presses.ids import Action, id_of
from tests.wire.messages import EPHEMERAL, parts_of
from tests.wire.our_bot import CALLBACK, DESK, ready
from tests.wire.reply import Reply
from tests.wire.standin import StandIn, Where
from tests.wire.under import ids, line_of, stored

pytestmark = pytest.mark.usefixtures("unhurried")

MESSAGE, ACKNOWLEDGED, UPDATE = 4, 6, 7
GREEN = 3  # the style of a button that holds now
OPEN = {"private": False}


def labels(reply: Reply) -> dict[str, str]:
    """The name of each button by its label."""
    parts = parts_of(stored(reply))
    return {str(one["label"]): str(one["custom_id"]) for one in parts if "custom_id" in one}


def green(reply: Reply) -> list[str]:
    return [str(one["label"]) for one in parts_of(stored(reply)) if one.get("style") == GREEN]


def step_of(reply: Reply) -> str:
    return str(stored(reply)["embeds"][0]["footer"]["text"])


def said(reply: Reply) -> str:
    return str(stored(reply)["embeds"][0]["description"])


def title(reply: Reply) -> str:
    return str(stored(reply)["embeds"][0]["title"])


def named(place: Place, before: Place | None = None) -> str:
    return id_of(Action.LEARN, name_of(place, before))


async def test_it_is_walked_from_the_first_step_to_the_last(standin: StandIn) -> None:
    place, before = START, None
    async with ready(standin):
        reply = await standin.slash("vram learn")
        assert reply.ephemeral
        for number, step in enumerate(STEPS, 1):
            place = place.at(step)
            shown = lesson(place, before, DESK.catalog, DESK.locale)
            assert step_of(reply) == f"Step {number} of {len(STEPS)}"
            assert title(reply) == shown.title
            assert said(reply).startswith(f"**{shown.moved}**" if shown.moved else shown.text)
            assert line_of(reply) == shown.line
            if step is not STEPS[-1]:
                pressed = await standin.press(labels(reply)["Next"], reply)
                assert pressed.type == UPDATE
            before = None if step in (Step.LOSS, Step.REAL) else place
        assert "Next" not in labels(reply)
        await standin.press(labels(reply)["Start again"], reply)
    assert step_of(reply) == "Step 1 of 7"
    assert "Back" not in labels(reply)


async def test_what_was_chosen_stays_on_the_way_and_back(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn")
        for label in ("14B", "Next", "8 users", "Next", "SGD", "Next", "QLoRA", "Next", "Batch 4"):
            await standin.press(labels(reply)[label], reply)
        assert line_of(reply) == "train 14B qlora sgd grad ckpt bs 4 seq 2048"
        assert "more, mostly" in said(reply)
        lines, chosen = [], []
        for _ in range(4):
            await standin.press(labels(reply)["Back"], reply)
            lines.append(line_of(reply))
            chosen += green(reply)
            assert " → " not in said(reply)
    assert lines == [
        "train 14B qlora sgd grad ckpt",
        "train 14B full sgd grad ckpt",
        "infer 14B users 8 ctx 8192",
        "infer 14B",
    ]
    assert chosen == ["QLoRA", "SGD", "14B"]


async def test_a_press_is_answered_by_another_process(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        await standin.press(labels(reply)["Next"], reply)
        await standin.press(labels(reply)["8 users"], reply)
    async with ready(standin):
        pressed = await standin.press(labels(reply)["32k of context"], reply)
        assert pressed.type == UPDATE
        assert line_of(reply) == "infer 7B users 8 ctx 32768"
        await standin.press(labels(reply)["Next"], reply)
    assert step_of(reply) == "Step 3 of 7"
    assert not reply.ephemeral


async def test_somebody_else_gets_a_walk_of_their_own(standin: StandIn) -> None:
    bob = standin.person("bob")
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        before = copy.deepcopy(stored(reply))
        own = await standin.press(labels(reply)["70B"], reply, by=bob)
        assert own.type == MESSAGE
        assert own.ephemeral
        assert line_of(own) == "infer 70B"
        assert stored(reply) == before
        again = await standin.press(labels(own)["Next"], own, by=bob)
        assert again.type == UPDATE
        assert step_of(own) == "Step 2 of 7"
        assert stored(reply) == before
        mine = await standin.press(labels(reply)["Next"], reply)
    assert mine.type == UPDATE
    assert line_of(reply) == "infer 7B users 1 ctx 8192"


@pytest.mark.parametrize("where", list(Where))
async def test_it_is_walked_wherever_there_are_commands(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", where=where)
        await standin.press(labels(reply)["Next"], reply, where=where)
    assert step_of(reply) == "Step 2 of 7"


async def test_a_button_of_a_moment_ago_still_goes_where_it_says(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        old = labels(reply)["70B"]
        await standin.press(labels(reply)["Next"], reply)
        assert old not in ids(reply)
        people = standin.people(check=False)
        pressed = await standin.ask(people.press(old, reply.stored, 2, None))
    assert pressed.type == UPDATE
    assert line_of(reply) == "infer 70B"


FORGED = (
    "v1:learn",
    "v1:learn:next",
    named(START)[:-1],
    named(START).replace(":b", ":a"),
    f"{named(START)}-{'9' * 12}",
)


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("there", [True, False])
async def test_a_name_of_another_time_is_answered(standin: StandIn, name: str, there: bool) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        assert reply.stored is not None
        if there:
            reply.stored.stored["components"][0]["components"][0]["custom_id"] = name
        before = copy.deepcopy(stored(reply))
        people = standin.people(check=False)
        pressed = await standin.ask(people.press(name, reply.stored, 2, None))
    assert pressed.ephemeral
    assert "/vram " in pressed.content
    assert stored(reply) == before


async def test_a_name_of_the_walk_leaves_another_answer_as_it_is(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": "7B adam lora"})
        before = copy.deepcopy(stored(reply))
        people = standin.people(check=False)
        pressed = await standin.ask(people.press(named(START), reply.stored, 2, None))
    assert pressed.ephemeral
    assert "another time" in pressed.content
    assert stored(reply) == before


async def test_a_flood_of_presses_ends_where_the_last_one_says(standin: StandIn) -> None:
    sizes = [START.choosing(Axis.SIZE, n) for n in range(len(VALUES[Axis.SIZE].all))]
    wanted = [*sizes * 6, START.choosing(Axis.SIZE, 2)]
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        people, calls = standin.people(), len(standin.requests_to(CALLBACK))
        asked = [people.press(named(one, START), reply.stored, 2, None) for one in wanted]
        replies = await asyncio.gather(*(standin.ask(one) for one in asked))
        await standin.until(lambda: line_of(reply) == "infer 14B")
        assert len(standin.requests_to(CALLBACK)) == calls + len(wanted)
    assert {one.type for one in replies} <= {ACKNOWLEDGED, UPDATE}
    assert [one.status for one in replies] == [200] * len(wanted)
    assert green(reply) == ["14B"]


async def test_slow_edits_are_announced_and_the_last_one_stays(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0.05)
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        standin.faults.delay(0.4, route=CALLBACK, times=1)
        people = standin.people()
        wanted = [START.choosing(Axis.SIZE, 0), START.choosing(Axis.SIZE, 3)]
        asked = [people.press(named(one, START), reply.stored, 2, None) for one in wanted]
        replies = await asyncio.gather(*(standin.ask(one) for one in asked))
        await standin.until(lambda: line_of(reply) == "infer 70B")
    assert ACKNOWLEDGED in [one.type for one in replies]


@pytest.mark.parametrize("how", ["cut", "503"])
async def test_a_step_that_does_not_get_through_is_sent_again(standin: StandIn, how: str) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        if how == "cut":
            standin.faults.cut(route=CALLBACK)
        else:
            standin.faults.status(503, route=CALLBACK)
        await standin.press(labels(reply)["Next"], reply)
    assert step_of(reply) == "Step 2 of 7"


async def test_a_walk_that_was_deleted_goes_on_in_private(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first press answers by itself; the second was announced while it waited for the first."""
    monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0.05)
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        people, wanted = standin.people(), [labels(reply)[label] for label in ("Next", "70B")]
        asked = [people.press(name, reply.stored, 2, None) for name in wanted]
        assert reply.stored is not None
        standin.world.messages.remove(reply.stored)
        standin.faults.delay(0.4, route=CALLBACK, times=1)
        first, second = await asyncio.gather(*(standin.ask(one) for one in asked))
        await second.until(lambda: bool(second.followups), 30)
    assert (first.type, second.type) == (MESSAGE, ACKNOWLEDGED)
    for message, line in ((first.message, "infer 7B users 1"), (second.followups[0], "infer 70B")):
        assert message["flags"] & EPHEMERAL
        assert message["embeds"][0]["fields"][-1]["value"].startswith(f"`/vram {line}")


async def test_a_reply_in_words_changes_the_line_of_a_step(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN)
        await standin.press(named(START, START), reply)
        answer = await standin.answer_to(await standin.write("@bot ctx 32k", to=reply.stored))
    assert line_of(answer) == "infer 7B ctx 32768"


@pytest.mark.parametrize("code", SPOKEN)
async def test_each_walk_is_in_the_language_of_who_walks(standin: StandIn, code: str) -> None:
    """Another person's walk begins in theirs, from the same button."""
    ben, words = standin.person("ben", locale=code), load_locale(code).learn
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN, by=ben)
        assert stored(reply)["embeds"][0]["footer"]["text"] == words.sentences["foot"].format(
            number=1, steps=7
        )
        await standin.press(labels(reply)[words.buttons["next"]], reply, by=ben)
        own = await standin.press(labels(reply)[words.buttons["next"]], reply)
    assert in_english(line_of(reply)) == "infer 7B users 1 ctx 8192"
    assert own.ephemeral
    assert step_of(own) == "Step 3 of 7"


async def test_the_end_names_commands_as_they_are_called_there(standin: StandIn) -> None:
    ben = standin.person("ben", locale="de")
    async with ready(standin):
        reply = await standin.slash("vram learn", OPEN, by=ben)
        for _ in range(6):
            await standin.press(labels(reply)["Weiter"], reply, by=ben)
    further = stored(reply)["embeds"][0]["fields"][0]["value"]
    assert "`/vram trainieren Qwen2.5-7B" in further
    assert "`19,85 - 19,84 = 0,01 GiB: " in said(reply)
