"""What is asked again is given again: the same answer, and only where all of it is the same."""

import asyncio

import pytest

from bot.ask import Answered, Desk, Replied, open_desk
from bot.asking import completed_beside, known
from bot.presenting.prices import Prices
from bot.reading.changing import CHANGES
from bot.reading.options import Options
from bot.remembering import LONGEST, Key, Remembered
from bot.replies import Unfinished
from bot.shown import shown
from bot.team import Team, TeamCard

TEAM = Team((TeamCard("nvidia-rtx-3090", 2),))


@pytest.fixture
def desk() -> Desk:
    return open_desk()


async def ask(desk: Desk, text: str, options: Options | None = None) -> Answered:
    found, _ = await known(desk, text, options)
    return found


async def anew(desk: Desk, text: str, options: Options | None = None) -> Answered:
    """Worked out, whatever is remembered."""
    found = desk.begin(text, options)
    if isinstance(found, Unfinished):
        return found.finish()
    return (await completed_beside(desk, found))[0]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("train 7B adam lora", {}),
        ("train 7B full on a 3090", {"batch": 4}),
        ("train 7B lora vs qlora", {}),
        ("train frobnicate", {}),
        ("why is lora smaller", {}),
        ("qlora", {CHANGES: "train 7B lora"}),
    ],
)
async def test_what_is_given_again_is_what_would_be_worked_out(
    desk: Desk, text: str, options: Options
) -> None:
    first = await ask(desk, text, options)
    again = await ask(desk, text, options)
    assert again is first
    assert first.document() == (await anew(desk, text, options)).document()
    assert first.shown == (await anew(desk, text, options)).shown


async def test_whatever_is_other_is_worked_out(desk: Desk) -> None:
    line = "train 7B adam lora"
    first = await ask(desk, line)
    others = [
        await ask(desk, line, {"batch": 4}),
        await ask(desk.speaking("de"), line),
        await ask(desk.of_team(TEAM), line),
        await ask(desk, f"{line} bs 2"),
    ]
    assert all(one.shown != first.shown for one in others)
    assert len({str(one.shown) for one in others}) == len(others)
    assert await ask(desk, line) is first


async def test_what_took_too_long_is_not_remembered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without what would make it fit, as where too many wait for that."""
    line = "train 7B full 4090"
    with monkeypatch.context() as busy:
        busy.setattr("bot.completing.MOST_WAITING", 0)
        short = await ask(desk, line)
    whole = await ask(desk, line)
    assert isinstance(short, Replied)
    assert isinstance(whole, Replied)
    assert short.advice is None
    assert whole.advice is not None


async def test_other_prices_make_another_answer() -> None:
    """They can be others from one answer to the next."""
    an_hour = 10.0
    desk = open_desk(prices=lambda: Prices("USD", {"p5.4xlarge": an_hour}))
    line = "train 70B qlora"
    first = await ask(desk, line)
    assert await ask(desk, line) is first
    assert "10.00 USD/h" in str(first.shown)
    an_hour = 20.0
    assert "20.00 USD/h" in str((await ask(desk, line)).shown)


async def test_what_is_pasted_is_not_remembered(desk: Desk) -> None:
    text = "train 7B lora " + "please " * LONGEST
    await ask(desk, text[: 2 * LONGEST])
    assert not len(desk.answers)


def test_what_was_asked_for_longest_ago_gives_way() -> None:
    keys = [Key(str(number), (), "en", None) for number in range(4)]
    kept = Remembered[str](most=3)
    for key in keys[:3]:
        kept.keep(key, key.text)
    assert kept.recall(keys[0]) == "0"
    kept.keep(keys[3], "3")
    assert [kept.recall(key) for key in keys] == ["0", None, "2", "3"]
    assert len(kept) == 3


async def test_many_threads_may_ask(desk: Desk) -> None:
    key = desk.key_of("train 7B lora", {})
    found = await ask(desk, "train 7B lora")

    def ask_often() -> list[Answered | None]:
        for _ in range(200):
            desk.answers.keep(key, found)
        return [desk.answers.recall(key) for _ in range(200)]

    said = await asyncio.gather(*(asyncio.to_thread(ask_often) for _ in range(4)))
    assert all(one is found for thread in said for one in thread)


async def test_what_becomes_of_one_message_is_not_in_the_next(desk: Desk) -> None:
    found = await ask(desk, "train 7B lora")
    parts = shown(desk.locale, found, private=False)
    before, below = parts["embed"].to_dict(), parts["view"].to_components()
    again = shown(desk.locale, found, private=False)["embed"]
    again.set_image(url="attachment://x.png").set_footer(text="x").set_field_at(
        0, name="x", value="x"
    )
    again.remove_field(1)
    once_more = shown(desk.locale, found, private=False)
    assert once_more["embed"].to_dict() == before
    assert once_more["view"].to_components() == below
    assert shown(desk.locale, found, private=True)["view"].to_components() != below
