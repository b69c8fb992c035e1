"""The cards that a team says it has: which are kept, and what is said of the rest."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import open_desk
from bot.reading.facts import NotUnderstoodError
from bot.reading.team_cards import MOST_CARDS, MOST_KINDS, read_team
from bot.team import Team, TeamCard
from tests.examples import examples
from tests.fuzz.texts import texts

DESK = open_desk()


def kept(text: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """The cards by their ids, and what is not kept."""
    said = read_team(text, DESK.reader, DESK.catalog, DESK.locale, own=False)
    return {card.id: card.count for card in said.team.cards}, said.aside


def wrong(text: str) -> NotUnderstoodError:
    """What is wrong with it."""
    with pytest.raises(NotUnderstoodError) as caught:
        kept(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("2x 3090, 4090", {"rtx-3090": 2, "rtx-4090": 1}),
        ("two 3090s and one 4090", {"rtx-3090": 2, "rtx-4090": 1}),
        ("2x 3090, 3090", {"rtx-3090": 3}),
        ("2 nodes of 8xH100", {"h100-sxm5-80gb": 16}),
        ("p4d.24xlarge", {"a100-sxm4-40gb": 8}),
        ("24GB, 2x 16GB", {"class-24gb": 1, "class-16gb": 2}),
        ("macbook pro m3 max 64gb", {"apple-m3-max-64gb": 1}),
        ("our team has 8x A100 80GB SXM and 2x L40S", {"a100-sxm4-80gb": 8, "l40s": 2}),
    ],
)
def test_cards_are_read_as_in_any_question(text: str, cards: dict[str, int]) -> None:
    assert kept(text) == (cards, ())


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        ("train 7B lora on 3090", ("train", "7B", "lora")),
        ("3090 foo bar", ("foo", "bar")),
        ("3090 with 64 GB RAM", ("64 GB RAM",)),
        ("zz/yy 3090", ("zz", "yy")),
    ],
)
def test_what_else_is_said_is_named(text: str, aside: tuple[str, ...]) -> None:
    assert kept(text) == ({"rtx-3090": 1}, aside)


@pytest.mark.parametrize(
    ("text", "message", "lines"),
    [
        ("0x 3090", f"I keep a whole number of each card, from 1 to {MOST_CARDS}", ()),
        ("1.5x 3090", f"I keep a whole number of each card, from 1 to {MOST_CARDS}", ()),
        ("-3 3090", f"I keep a whole number of each card, from 1 to {MOST_CARDS}", ()),
        ("half an H100", "I keep whole cards, and no parts of them", ()),
        ("513x 3090", "That is 513 cards, and I keep at most 512", ()),
        ("a100", "`a100` comes with 40 / 80 GB: say which.", ("a100 40GB", "a100 80GB")),
    ],
)
def test_what_cannot_be_kept(text: str, message: str, lines: tuple[str, ...]) -> None:
    error = wrong(text)
    assert (error.message, error.lines) == (message, lines)


@pytest.mark.parametrize(
    "text",
    ["", "`", "foo", "train 7B lora", "64 GB RAM", "\N{GRINNING FACE}", "x" * 100, "E;EL", ";;"],
)
def test_what_names_no_card(text: str) -> None:
    assert wrong(text).message


def test_the_closest_names_are_offered() -> None:
    error = wrong("rtx 3900")
    assert "`rtx-3090`" in error.message
    assert "rtx-3090" in error.lines
    assert not error.message.startswith("The option")


@given(st.one_of(texts(DESK.reader).map(lambda text: text[:150]), st.text(max_size=12)))
@settings(max_examples=examples(200), deadline=None)
def test_whatever_is_typed_cards_are_kept_or_cards_are_offered(text: str) -> None:
    refused: NotUnderstoodError | None = None
    ids: dict[str, int] = {}
    try:
        ids, _ = kept(text)
    except NotUnderstoodError as error:
        refused = error
    assert bool(ids) is (refused is None)
    assert all(0 < count <= MOST_CARDS for count in ids.values())
    if refused is not None:
        assert refused.message
        assert all(kept(line)[0] for line in refused.lines)


@pytest.mark.parametrize("text", ["train 7B with the quantum-banana optimizer", "baa", "7B accum"])
def test_what_is_offered_is_a_card(text: str) -> None:
    """An error about another word knows names of optimizers and of models."""
    assert all(kept(line)[0] for line in wrong(text).lines)


@pytest.mark.parametrize("text", ["3099", "2x 3099", "8192", "foo", "2x foo"])
def test_what_is_no_card_is_said_whole(text: str) -> None:
    assert wrong(text).message.startswith(f"I know no card called `{text}`.")


def test_a_number_close_to_a_cards_offers_that_card() -> None:
    assert "rtx-3090" in wrong("2x 3099").lines


def test_no_more_kinds_than_a_question_may_name() -> None:
    names = ["3090", "4090", "5090", "h100", "l4", "l40s", "a10", "t4", "a40"]
    assert len(kept(" ".join(names[:MOST_KINDS]))[0]) == MOST_KINDS
    assert wrong(" ".join(names)).message == "That is 9 kinds of cards, and I keep at most 8"


def test_what_is_too_long_is_not_read() -> None:
    assert "100" in wrong("3090 " * 30).message


def test_a_persons_cards_are_theirs() -> None:
    said = read_team("3090", DESK.reader, DESK.catalog, DESK.locale, own=True)
    assert said.team == Team((TeamCard("rtx-3090", 1),), own=True)
