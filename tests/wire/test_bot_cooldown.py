"""Who asks too much, through the socket: told so, when to go on, and nobody else is slower."""

import re

import pytest

from bot.cooldown import LISTS, TOLD_AT_ONCE, Cooldowns
from bot.locale import load_locale
from tests.wire.our_bot import CALLBACK, QUERY, VERDICT, ready
from tests.wire.reply import Reply
from tests.wire.standin import StandIn, Unanswered, Where
from tests.wire.under import EXACT, FORM, HOW, SELECT, values

pytestmark = pytest.mark.usefixtures("unhurried")

SIX = 12  # a minute: six at once
SENTENCE = load_locale().discord["cooldown_person"].partition("{when}")[0]
THERE = load_locale().discord["cooldown_server"].partition("{when}")[0]
GERMAN = load_locale("de").discord["cooldown_person"].partition("{when}")[0]


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def answered(reply: Reply) -> bool:
    return bool(reply.embeds) and str(reply.embeds[0]["title"]).startswith(VERDICT)


async def test_too_many_commands_are_told_when_to_go_on(standin: StandIn, clock: Clock) -> None:
    async with ready(standin, cooldowns=Cooldowns(SIX, 0, clock)):
        replies = [await standin.slash("vram train", QUERY) for _ in range(7)]
        clock.now += 5
        later = await standin.slash("vram train", QUERY)
    assert [answered(reply) for reply in replies] == [True] * 6 + [False]
    assert answered(later)
    said = replies[-1]
    assert said.ephemeral
    assert said.content.startswith(SENTENCE)
    assert re.search(r" <t:\d{10}:R>", said.content)


async def test_it_is_said_in_the_askers_language(standin: StandIn, clock: Clock) -> None:
    bernd = standin.person("bernd", "de")
    async with ready(standin, cooldowns=Cooldowns(2, 0, clock)):
        await standin.slash("vram train", QUERY, by=bernd)
        said = await standin.slash("vram train", QUERY, by=bernd)
    assert said.content.startswith(GERMAN)


async def test_presses_forms_and_menus_count_too(standin: StandIn, clock: Clock) -> None:
    cooldowns = Cooldowns(4, 0, clock)  # two at once
    async with ready(standin, cooldowns=cooldowns):
        answer = await standin.slash("vram train", QUERY)
        await standin.press(EXACT, answer)

        form = await standin.submit(FORM, {"batch": "4"}, answer)
        chosen = values(answer, HOW)[:1]
        pressed = await standin.press(HOW, answer, SELECT, chosen)
        menu = await standin.context_menu("Estimate this", "train 7B adam lora")
        clock.now += 60
        again = await standin.context_menu("Estimate this", "train 7B adam lora")
    assert all(said.content.startswith(SENTENCE) for said in (form, pressed, menu))
    assert all(said.ephemeral for said in (form, pressed, menu))
    assert answered(again)
    assert cooldowns.refused == 3


async def test_an_old_button_is_no_way_around(standin: StandIn, clock: Clock) -> None:
    async with ready(standin, cooldowns=Cooldowns(2, 0, clock)):
        old = standin.bot_message("old", components=[
            {"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": "old"}]}
        ])  # fmt: skip
        await standin.press("old", old)
        said = await standin.press("old", old)
    assert said.content.startswith(SENTENCE)


async def test_who_goes_on_is_not_told_each_time(standin: StandIn, clock: Clock) -> None:
    async with ready(standin, cooldowns=Cooldowns(2, 0, clock)):
        for _ in range(1 + TOLD_AT_ONCE):
            await standin.slash("vram train", QUERY)
        with pytest.raises(Unanswered):
            await standin.slash("vram train", QUERY, timeout=0.2)


async def test_too_many_lists_are_empty(standin: StandIn, clock: Clock) -> None:
    async with ready(standin, cooldowns=Cooldowns(2, 0, clock)):
        lists = [
            await standin.autocomplete("vram train", {"query": "7B ad"}, "query")
            for _ in range(LISTS + 1)
        ]
        asked = await standin.slash("vram train", QUERY)
    assert all(one.choices for one in lists[:-1])
    assert lists[-1].choices == []
    assert answered(asked)  # who types too fast may still send it


async def test_a_flood_of_one_delays_nobody_else(standin: StandIn, clock: Clock) -> None:
    """What is refused takes no turn, and after a few nothing is sent for it."""
    flood, other = standin.person("flood"), standin.person("other")
    async with ready(standin, cooldowns=Cooldowns(SIX, 0, clock)) as running:
        people = standin.people(by=flood)
        for _ in range(300):
            await standin.dispatch(
                "INTERACTION_CREATE", people.slash("vram train", QUERY).interaction
            )
        reply = await standin.slash("vram train", QUERY, by=other)
        sent = len(standin.requests_to(CALLBACK))
        refused = running.client._cooldowns.refused  # noqa: SLF001 - that it went by
    assert answered(reply)
    assert sent <= 6 + TOLD_AT_ONCE + 1
    assert refused == 294


async def test_one_server_leaves_others_theirs(standin: StandIn, clock: Clock) -> None:
    async with ready(standin, cooldowns=Cooldowns(60, 12, clock)):  # of a server two at once
        here = [
            await standin.slash("vram train", QUERY, by=standin.person(f"p{n}")) for n in range(3)
        ]
        alone = await standin.slash("vram train", QUERY, where=Where.BOT_DM)
        there = await standin.slash("vram train", QUERY, where=Where.FOREIGN_GUILD)
    assert [answered(one) for one in here] == [True, True, False]
    assert here[-1].content.startswith(THERE)
    assert answered(alone)
    assert answered(there)


async def test_a_mention_too_many_is_told_once_below_it(standin: StandIn) -> None:
    flood = standin.person("flood")
    async with ready(standin):
        asked = [await standin.write("@bot train 7B lora", by=flood) for _ in range(9)]
        said = await standin.answer_to(asked[5], timeout=60)
        for message in asked[:5]:
            await standin.answer_to(message, timeout=60)
    assert said.stored["content"].startswith(SENTENCE)
    assert said.stored["mentions"] == []
    assert len(standin.posted) == 6


async def test_without_a_limit_anybody_asks_as_much_as_they_like(standin: StandIn) -> None:
    async with ready(standin, cooldowns=Cooldowns(0, 0)):
        replies = [await standin.slash("vram train", QUERY) for _ in range(40)]
    assert all(map(answered, replies))
