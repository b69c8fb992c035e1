"""Replies in the language of who asks, over real sockets."""

import pytest

from bot.languages import SPOKEN
from bot.locale import ENGLISH, load_locale
from bot.presenting.spoken import spoken
from tests.wire.our_bot import COMMANDS, DESK, QUERY, ready
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_hears import title
from tests.wire.under import HOW, MATHS, OPEN, SELECT, line_of

pytestmark = pytest.mark.usefixtures("unhurried")

OTHERS = [code for code in SPOKEN if code != ENGLISH]
QUESTION = "train 7B adam lora"
ASKED = {
    "de": "wie viel vram brauche ich um 7B mit lora zu trainieren",
    "ru": "сколько видеопамяти нужно чтобы обучить 7B с lora",
    "ja": "7Bをloraで学習するのに必要なVRAMは？",
    "zh-CN": "用lora训练7B需要多少显存",
}


def headline(text: str, code: str) -> str:
    """The first line of an answer in a language."""
    desk = DESK.speaking(code)
    return str(spoken(desk.ask(text).shown, desk.locale).headline)  # type: ignore[union-attr]


@pytest.mark.parametrize("code", OTHERS)
async def test_an_answer_is_in_the_language_of_who_asks(standin: StandIn, code: str) -> None:
    asker = standin.person("ben", locale=code)
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY, by=asker)
        refused = await standin.slash("vram train", {"query": "7B blorp"}, by=asker)
        helped = await standin.slash("vram help", by=asker)
    assert reply.embeds[0]["title"] == headline(QUESTION, code) != headline(QUESTION, ENGLISH)
    assert load_locale(code).reply.headings["wrong"] not in reply.content
    assert load_locale(code).reply.headings["type"] in refused.content
    assert helped.embeds[0]["title"] == load_locale(code).help.title


@pytest.mark.parametrize(
    ("locale", "code"), [("en-GB", "en"), ("pl", "en"), ("zh-TW", "zh-CN"), ("de", "de")]
)
async def test_a_language_without_words_gets_the_nearest_or_english(
    standin: StandIn, locale: str, code: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY, by=standin.person("ben", locale=locale))
    assert reply.embeds[0]["title"] == headline(QUESTION, code)


@pytest.mark.parametrize("locale", [None, "", "xx", "DE", "q" * 5000, 7, ["de"], {"de": 1}])
async def test_what_is_no_locale_is_answered_in_english(standin: StandIn, locale: object) -> None:
    async with ready(standin):
        asked = standin.people().slash("vram train", QUERY)
        asked.interaction["locale"] = locale
        reply = await standin.ask(asked)
    assert reply.embeds[0]["title"] == headline(QUESTION, ENGLISH)


@pytest.mark.parametrize(("code", "text"), ASKED.items())
async def test_a_mention_is_answered_in_the_language_it_is_in(
    standin: StandIn, code: str, text: str
) -> None:
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(f"@bot {text}"))
    assert title(answer) == headline(QUESTION.replace(" adam", ""), code)


async def test_words_that_tell_no_language_are_answered_in_english(standin: StandIn) -> None:
    async with ready(standin):
        answer = await standin.answer_to(
            await standin.write(QUESTION, by=standin.person("ben"), where=Where.BOT_DM)
        )
    assert title(answer) == headline(QUESTION, ENGLISH)


@pytest.mark.parametrize("code", OTHERS)
async def test_a_line_in_another_language_asks_the_same(standin: StandIn, code: str) -> None:
    asker, reader = standin.person("ben", locale=code), standin.person("eve")
    name = load_locale(code).commands["train"].name
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY, by=asker)
        assert line_of(reply).startswith(f"{name} 7B")
        copy = await standin.press(HOW, reply, SELECT, ["qlora"], by=reader)
        maths = await standin.press(MATHS, reply, by=reader)
        await standin.press(HOW, reply, SELECT, ["qlora"], by=asker)
    assert line_of(reply) == f"{name} 7B qlora adamw"
    assert line_of(copy) == "train 7B qlora adamw"
    assert copy.ephemeral
    assert maths.embeds[0]["title"] == load_locale().press.sentences["maths_title"].format(
        page=1, pages=maths.embeds[0]["title"].split()[-1]
    )


@pytest.mark.parametrize("code", OTHERS)
async def test_a_refusal_offers_lines_that_can_be_pressed(standin: StandIn, code: str) -> None:
    asker = standin.person("ben", locale=code)
    async with ready(standin):
        refused = await standin.slash("vram train", {"query": "7B lora bs"}, by=asker)
        opened = await standin.press(f"{OPEN}:all", refused, SELECT, ["0"], by=asker)
    assert opened.embeds[0]["fields"]


async def test_commands_are_listed_in_every_language_and_synced_once(standin: StandIn) -> None:
    async with ready(standin):
        (vram,) = [command for command in standin.commands if command["name"] == "vram"]
    for option in vram["options"]:
        own = {code: load_locale(code).commands[option["name"]] for code in OTHERS}
        for code, words in own.items():
            assert option["name_localizations"][code] == words.name
            assert option["description_localizations"][code] == words.description
            for part in option.get("options", ()):
                assert part["description_localizations"][code] == words.options[part["name"]]
    async with ready(standin):
        assert len(standin.requests_to(COMMANDS, "PUT")) == 1


@pytest.mark.parametrize("code", OTHERS)
def test_what_is_shown_to_be_typed_can_be_typed_anywhere(code: str) -> None:
    names = load_locale(code).commands
    for command, rest in (("train", "7B lora"), ("compare", "lora vs qlora 7B"), ("fit", "4090")):
        said = DESK.ask(f"/vram {names[command].name} {rest}")
        assert said.document() == DESK.ask(f"/vram {command} {rest}").document()
        assert said.document()["error"] is None


async def test_where_words_tell_no_language_the_servers_own_is_spoken(standin: StandIn) -> None:
    async with ready(standin):
        await standin.dispatch("GUILD_UPDATE", {"id": standin.guild_id, "preferred_locale": "de"})
        answer = await standin.answer_to(await standin.write("@bot 7B lora"))
        english = await standin.answer_to(await standin.write("@bot how much for 7B lora"))
    assert title(answer) == headline("7B lora", "de")
    assert title(english) == headline("7B lora", ENGLISH)
