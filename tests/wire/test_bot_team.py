"""`/vram team` over sockets: cards are kept by who may, shown to all, and said in every answer."""

from pathlib import Path

import pytest

from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard
from tests.wire.keeping import keeping
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn, Where
from tests.wire.under import HOW, SELECT, ids

pytestmark = pytest.mark.usefixtures("unhurried")

TEAM = "vram team"
SHOW = {"query": "show"}
CARDS = {"query": "2x 3090, 4090"}
FORGET = "v1:forget"
KEPT = Team((TeamCard("rtx-3090", 2), TeamCard("rtx-4090", 1)))
HEADING, OWN_HEADING = "Your team's cards", "Your cards"


def said_of(embed: dict[str, object], heading: str = HEADING) -> str:
    """What an answer says of the team; empty where it says nothing."""
    fields = embed["fields"]
    assert isinstance(fields, list)
    return next((str(one["value"]) for one in fields if one["name"] == heading), "")


async def test_who_manages_the_server_keeps_cards_and_all_see_them(
    standin: StandIn, tmp_path: Path
) -> None:
    async with keeping(standin, tmp_path) as kept:
        none = await standin.slash(TEAM, SHOW, by=kept.member)
        told = await standin.slash(TEAM, CARDS, by=kept.boss)
        shown = await standin.slash(TEAM, SHOW, by=kept.member)
        assert await kept.store.team_of(kept.guild) == KEPT
    assert none.content.startswith("**No cards are kept for this server.**")
    assert "- 2× RTX 3090: 24 GB each, of which a program sees " in told.content
    assert "- RTX 4090: 24 GB, of which a program sees " in told.content
    assert "`/vram team none`" in told.content
    assert not told.ephemeral
    assert told.content.splitlines()[:-1] == shown.content.splitlines()[:-1]
    assert "`/vram team none`" not in shown.content


async def test_who_may_not_changes_nothing(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        said = [
            await standin.slash(TEAM, {"query": words}, by=kept.member)
            for words in ("h100", "none", "forget everything")
        ]
        assert await kept.store.team_of(kept.guild) == KEPT
    assert all(one.ephemeral and "Manage Server" in one.content for one in said)
    assert not any(one.components for one in said)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("0x 3090", "**I keep a whole number of each card, from 1 to 512.**"),
        ("rtx 3900", "**I know no card called `rtx 3900`. Closest: `rtx-3070`"),
        ("600x 3090", "**That is 600 cards, and I keep at most 512.**"),
        ("half an H100", "**I keep whole cards, and no parts of them.**"),
        ("train 7B lora", "**I cannot read `train 7B lora` here.**"),
        ("@everyone", "**There is nothing to read.**"),
        ("3090 4090 5090 a100 40gb h100 l4 l40s a10 t4", "**That is 9 kinds of cards"),
    ],
)
async def test_what_are_no_cards_is_said_and_nothing_is_lost(
    standin: StandIn, tmp_path: Path, query: str, wrong: str
) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        said = await standin.slash(TEAM, {"query": query}, by=kept.boss)
        assert await kept.store.team_of(kept.guild) == KEPT
    assert said.content.startswith(wrong)
    assert "\nType: `/vram team " in said.content
    assert said.ephemeral


async def test_names_of_cards_are_listed_while_one_types(standin: StandIn) -> None:
    async with ready(standin):
        listed = await standin.autocomplete(TEAM, {"query": "2x 309"}, "query")
    assert [one["value"] for one in listed.choices][:2] == ["2x rtx-3090", "2x rtx-3090-ti"]


async def test_what_is_said_beside_cards_is_named_as_not_kept(
    standin: StandIn, tmp_path: Path
) -> None:
    async with keeping(standin, tmp_path) as kept:
        said = await standin.slash(TEAM, {"query": "train 7B lora on 2x 3090"}, by=kept.boss)
    assert "Not kept, since it is no card: `train`, `7B`, `lora`" in said.content


async def test_every_answer_says_whether_it_fits_there(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        before = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
        await standin.slash(TEAM, CARDS, by=kept.boss)
        one = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
        both = await standin.slash("vram train", {"query": "13B lora"}, by=kept.member)
        none = await standin.slash("vram train", {"query": "7B adam"}, by=kept.member)
        same = await standin.slash("vram train", {"query": "7B lora on 2x 3090, 4090"})
        beside = await standin.slash("vram compare", {"query": "lora vs qlora 13B"})
        table = await standin.slash("vram fit", {"query": "qlora"})
        asked = await standin.write("@bot train 13B lora", by=kept.member)
        below = await standin.answer_to(asked, timeout=60)
        pressed = await standin.press(HOW, one, SELECT, ["lora"], by=kept.member)
        mark = await standin.context_menu("Estimate this", "train 13B lora")
    assert said_of(before.embeds[0]) == ""
    assert said_of(one.embeds[0]) == "**yes**: on RTX 4090, or on one of 2× RTX 3090"
    assert one.embeds[0]["fields"][0]["name"] == HEADING
    assert said_of(both.embeds[0]) == "**yes**: on both of 2× RTX 3090 with FSDP"
    assert said_of(none.embeds[0]).startswith("**no**: 34.5 GiB short on each of 2× RTX 3090")
    assert said_of(same.embeds[0]) == ""
    assert "; your team's: yes" in beside.embeds[0]["fields"][0]["value"]
    assert "I took your team's: 2x rtx-3090, rtx-4090." in str(table.embeds[0])
    assert said_of(below.stored["embeds"][0]) == said_of(both.embeds[0])
    assert pressed.type == 7
    assert said_of(mark.embeds[0]) == said_of(both.embeds[0])


async def test_cards_that_changed_are_in_the_next_answer(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        said = []
        for words in ("3090", "h100", "none"):
            await standin.slash(TEAM, {"query": words}, by=kept.boss)
            answer = await standin.slash("vram train", {"query": "7B lora"})
            said.append(said_of(answer.embeds[0]))
    assert said == ["**yes**: on RTX 3090", "**yes**: on H100 SXM5 80 GB", ""]


@pytest.mark.parametrize("where", [Where.BOT_DM, Where.GROUP_DM, Where.FOREIGN_GUILD])
async def test_elsewhere_cards_are_ones_own(standin: StandIn, tmp_path: Path, where: Where) -> None:
    """Where the bot is no member, nobody's server is changed: they are those of who asks."""
    async with keeping(standin, tmp_path) as kept:
        told = await standin.slash(TEAM, CARDS, by=kept.member, where=where)
        own = await standin.slash("vram train", {"query": "13B lora"}, by=kept.member, where=where)
        other = await standin.slash("vram train", {"query": "13B lora"}, by=kept.boss, where=where)
        found = await kept.store.team_of(Owner(OwnerKind.USER, int(kept.member.id)))
    assert told.content.startswith("**Your cards**, kept for you.")
    assert found is not None
    assert found.cards == KEPT.cards
    assert said_of(own.embeds[0], OWN_HEADING) == "**yes**: on both of 2× RTX 3090 with FSDP"
    assert said_of(other.embeds[0], OWN_HEADING) == ""


async def test_everything_is_erased_once_that_is_confirmed(
    standin: StandIn, tmp_path: Path
) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        asked = await standin.slash(TEAM, {"query": "Forget everything"}, by=kept.boss)
        assert await kept.store.team_of(kept.guild) == KEPT
        refused = await standin.press(FORGET, asked, by=kept.member)
        assert await kept.store.team_of(kept.guild) == KEPT
        await standin.press(FORGET, asked, by=kept.boss)
        assert await kept.store.guilds() == frozenset()
    assert asked.ephemeral
    assert "Manage Server" in refused.content
    assert asked.content == "All that I kept of this server is erased."
    assert ids(asked) == []


async def test_a_server_that_is_left_is_forgotten(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        await standin.dispatch("GUILD_DELETE", {"id": standin.guild_id, "unavailable": True})
        await standin.slash("vram help")
        assert await kept.store.guilds() == {kept.guild.id}
        await standin.dispatch("GUILD_DELETE", {"id": standin.guild_id})
        await standin.slash("vram help")
        assert await kept.store.guilds() == frozenset()


async def test_without_a_store_it_says_so(standin: StandIn) -> None:
    async with ready(standin):
        said = await standin.slash(TEAM, CARDS, by=standin.person("boss", manages=True))
        answer = await standin.slash("vram train", {"query": "7B qlora"})
    assert said.content.startswith("**I could not keep 2× RTX 3090, RTX 4090.**\n")
    assert "nothing is kept" in said.content
    assert said.ephemeral
    assert said_of(answer.embeds[0]) == ""
