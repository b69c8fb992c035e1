"""Answers side by side: the verdict first, each side with what holds it."""

import pytest

from bot.ask import Weighed, open_desk
from bot.presenting.comparison import differing
from bot.presenting.presentation import Comparison, Tone
from bot.surface.embed import embed_of

DESK = open_desk()


def weighed(line: str) -> Comparison:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    return found.comparison


def test_without_cards_the_headline_says_which_takes_least() -> None:
    shown = weighed("lora vs dora 7b train bs 16")
    assert shown.headline.startswith("lora takes ")
    assert shown.headline.endswith(" more")
    assert "fits " in shown.rows[0].holds


def test_with_cards_the_headline_is_the_verdict() -> None:
    shown = weighed("infer 70B q4_k_m on a 4090 or a100 80gb")
    assert shown.headline.startswith("Yes: A100 SXM4 80 GB; no: RTX 4090")
    assert [row.tone for row in shown.rows] == [Tone.GOOD, Tone.BAD]


def test_an_open_card_is_asked_and_answered() -> None:
    shown = weighed("infer 70B q4_k_m a100")
    assert "comes with 40 / 80 GB" in shown.details[0]
    assert {row.name for row in shown.rows} == {"A100 SXM4 40 GB", "A100 SXM4 80 GB"}


def test_a_side_that_cannot_be_estimated_says_why() -> None:
    shown = weighed("compare awq gptq for infer 8B on v100 32gb")
    refused = [row for row in shown.rows if not row.number]
    assert refused
    assert all("awq" in row.holds.casefold() for row in refused)
    assert shown.rows[-1] is refused[-1]


def test_equal_sides_are_said_to_be_equal() -> None:
    assert weighed("train 7B lora alpha 16 vs alpha 32").headline.startswith("No diff")


def test_a_document_has_every_side() -> None:
    found = DESK.ask("compare lora qlora 7B")
    assert isinstance(found, Weighed)
    document = found.document()
    assert [side["understood"]["method"] for side in document["compared"]] == ["lora", "qlora"]


@pytest.mark.parametrize(
    "line",
    [
        "compare lora qlora full 7B bs 4",
        "compare Q2_K Q3_K_M Q4_0 Q4_K_S Q4_K_M Q5_K_M Q6_K Q8_0 infer Qwen/Qwen3-14B 4 users",
    ],
)
def test_an_embed_keeps_discords_limits(line: str) -> None:
    embed = embed_of(weighed(line))
    assert embed.title
    assert len(embed) <= 6000
    assert all(len(field.value or "") <= 1024 for field in embed.fields)


def test_what_differs_is_told_from_what_is_shared() -> None:
    own, shared = differing([{"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}])
    assert own == [{"b": 2}, {"b": 3, "c": 4}]
    assert shared == {"a": 1}


def test_the_difference_is_named() -> None:
    shown = weighed("compare 7B lora vs qlora")
    assert any("mostly weights" in line for line in shown.details)
    ends = weighed("infer 8B users 1 vs 2 vs 4 vs 8")  # of many, from the least to the most
    assert sum("takes" in line for line in ends.details) == 1


def test_the_most_that_is_found_comes_first() -> None:
    shown = weighed("longest context infer 8B on 3060 or 4090")
    assert [row.name for row in shown.rows] == ["RTX 4090", "RTX 3060 12 GB"]
    assert all("tokens" in row.holds for row in shown.rows)
    assert "RTX 4090: up to" in shown.headline


def test_what_the_line_tells_is_not_asked_back() -> None:
    assert not any("one of them?" in line for line in weighed("infer 8B 3090 vs 4090").details)
    assert any("say which" in line for line in weighed("infer 8B a100").details)


def test_one_thing_alone_stands_beside_the_usual() -> None:
    shown = weighed("compare 7B lora")
    assert "usual methods" in shown.details[0]
    assert {row.name for row in shown.rows} == {"full", "lora", "qlora"}


@pytest.mark.parametrize(
    ("line", "headline"),
    [
        ("compare zero1 zero2 zero3 7b full 4x a100", "Yes: 3; tight: 1; no: 2"),
        ("compare zero1 zero2 zero3 fsdp 405b full 64x a100", "No: all 8"),
    ],
)
def test_long_names_are_left_to_the_rows(line: str, headline: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    assert found.shown.headline == headline
