"""Whether an answer fits a team's cards, as it is said in an embed and in a terminal."""

import io

import pytest
from rich.console import Console

from bot.ask import Desk, Refused, Replied, Tabled, Weighed, open_desk
from bot.asking import completed
from bot.presenting.presentation import Presentation
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_EMBED, MOST_FIELD
from bot.surface.terminal import show
from bot.team import Team, TeamCard

PLAIN = open_desk()


def desk_of(*cards: tuple[str, int], own: bool = False) -> Desk:
    """A desk that knows these cards."""
    return PLAIN.of_team(Team(tuple(TeamCard(id_, count) for id_, count in cards), own))


MIXED = desk_of(("rtx-3090", 2), ("rtx-4090", 1))


def said(desk: Desk, line: str) -> str:
    """What the answer to a line says of the team."""
    found = completed(desk, desk.ask(line))
    assert isinstance(found, Replied)
    return "; ".join(found.presentation.team).replace("**", "").replace(": ", " ", 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("7B qlora", "yes on RTX 4090, or on one of 2× RTX 3090"),
        ("13B lora", "yes on both of 2× RTX 3090 with FSDP"),
        ("infer 70b q4_k_m", "yes on all 3 together, layers dealt out"),
        ("train 7B adam", "no 34.5 GiB short on each of 2× RTX 3090 with FSDP"),
        ("infer 8B mlx 4bit", "no what runs it does not run on them"),
        ("7B qlora on an h100", "yes on RTX 4090, or on one of 2× RTX 3090"),
        ("7B qlora on a 4090", "yes on RTX 4090, or on one of 2× RTX 3090"),
        ("7B qlora on 2x 3090, 4090", ""),
        ("7B qlora on 4090, 2x 3090", ""),
    ],
)
def test_the_fewest_cards_are_named(line: str, words: str) -> None:
    assert said(MIXED, line) == words


@pytest.mark.parametrize(
    ("cards", "line", "words"),
    [
        ([("rtx-4090", 1)], "13B lora", "no 4.3 GiB short on RTX 4090"),
        ([("h100-sxm5-80gb", 8)], "70B lora", "yes on 4 of 8× H100 SXM5 80 GB with FSDP"),
        ([("class-24gb", 2)], "13B lora", "yes on both of 2× 24 GB with FSDP"),
        ([("rtx-5090", 1)], "Qwen2.5-7B qlora bs 2 seq 4096", "tight on RTX 5090"),
        ([("voodoo-2", 2)], "7B qlora", "I no longer know voodoo-2, and left it out."),
    ],
)  # fmt: skip
def test_other_teams(cards: list[tuple[str, int]], line: str, words: str) -> None:
    assert said(desk_of(*cards), line) == words


def test_without_a_team_nothing_is_said() -> None:
    assert said(PLAIN, "7B qlora") == ""


def test_the_document_stays_as_it_is() -> None:
    plain, ours = (completed(desk, desk.ask("13B lora")) for desk in (PLAIN, MIXED))
    assert plain.document() == ours.document()


def test_a_desk_of_another_model_keeps_its_team() -> None:
    heard = PLAIN.of_team(Team((TeamCard("t4", 1),)))
    assert heard.of_team(Team((TeamCard("l4", 1),))).team == Team((TeamCard("l4", 1),))
    assert PLAIN.team is None


def test_each_side_of_a_comparison_has_a_word() -> None:
    found = completed(MIXED, MIXED.ask("lora vs qlora vs full 13B"))
    assert isinstance(found, Weighed)
    words = {row.name: row.holds.rpartition("; ")[2] for row in found.comparison.rows}
    assert words == {
        "qlora": "your team's: yes",
        "lora": "your team's: yes",
        "full": "your team's: no",
    }


def test_cards_that_are_compared_have_none() -> None:
    found = completed(MIXED, MIXED.ask("7B qlora on a 4090 or 5090"))
    assert isinstance(found, Weighed)
    assert not any("your team" in row.holds for row in found.comparison.rows)


def test_a_table_without_cards_is_of_the_teams() -> None:
    found = MIXED.ask("fit 8B")
    assert isinstance(found, Tabled)
    assert found.overview.lines[0] == "fit 8B, 2x rtx-3090, rtx-4090"
    assert "I took your team's: 2x rtx-3090, rtx-4090." in found.overview.warnings[0]
    other = MIXED.ask("fit 8B on a t4")
    assert isinstance(other, Tabled)
    assert other.overview.lines[0] == "fit 8B, t4"
    assert isinstance(PLAIN.ask("fit 8B"), Refused)
    assert isinstance(desk_of(("voodoo-2", 1)).ask("fit 8B"), Refused)


def test_explanations_say_nothing_of_it() -> None:
    line = "why did zero3 not shard my qlora base?"
    assert completed(MIXED, MIXED.ask(line)) == completed(PLAIN, PLAIN.ask(line))


@pytest.mark.parametrize("own", [True, False])
def test_it_stands_near_the_top_on_discord_and_in_a_terminal(*, own: bool) -> None:
    desk = desk_of(("rtx-3090", 2), own=own)
    found = completed(desk, desk.ask("13B lora"))
    assert isinstance(found, Replied)
    heading = "Your cards" if own else "Your team's cards"
    first = embed_of(found.presentation).fields[0]
    assert (first.name, first.value) == (heading, "**yes**: on both of 2× RTX 3090 with FSDP")
    terminal = printed(found.presentation)
    assert f"{heading} ─" in terminal
    assert "•  yes: on both of 2× RTX 3090 with FSDP" in terminal


def test_the_longest_goes_in() -> None:
    ids = [card.id for card in PLAIN.catalog.gpus.rows if card.memory_gb >= 24][:7]
    desk = desk_of(*((one, 64) for one in ids), ("x" * 64, 512))
    for line in ("405B full", "7B qlora", "infer 70B q4_k_m"):
        found = completed(desk, desk.ask(line))
        embed = embed_of(found.shown) if isinstance(found, Replied) else None
        assert embed is not None
        assert len(embed) <= MOST_EMBED
        assert all(len(one.value or "") <= MOST_FIELD for one in embed.fields)


def printed(shown: Presentation) -> str:
    """An answer as a terminal shows it."""
    out = io.StringIO()
    show(shown, Console(file=out, width=80))
    return out.getvalue()
