"""What is said of cards that hold unlike parts of a model."""

import pytest

from bot.ask import Replied, open_desk
from bot.presenting.presentation import Presentation
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_EMBED

DESK = open_desk()


def shown(line: str) -> Presentation:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found
    return found.presentation


def told(line: str) -> str:
    (sentence,) = [one for one in shown(line).details if "unlike parts" in one]
    return sentence


def test_layers_and_bytes_of_each_card() -> None:
    sentence = told("infer llama-3.1-70b q4_k_m, 3090, 4090")
    assert "RTX 3090: 41 layers, " in sentence
    assert "RTX 4090: 39 layers and the head, " in sentence


def test_equal_neighbours_are_told_once() -> None:
    sentence = told("infer llama-3.1-405b vllm fp8 pp 16, 16x h100")
    assert sentence.count(";") <= 6
    assert "cards, each 8 layers" in sentence


def test_nothing_is_said_where_all_cards_hold_the_same() -> None:
    details = shown("infer llama-3.1-70b vllm tp 4, 4x h100").details
    assert not [one for one in details if "unlike" in one]


def test_each_kind_of_card_has_its_own_need() -> None:
    rows = [row for row in shown("infer llama-3.1-70b q4_k_m, 2x 3090, 3060").cards if row.asked]
    needs = [row.detail for row in rows]
    assert len(set(needs)) == 2
    assert all("needs" in one for one in needs)


def test_the_verdict_names_the_card_that_has_the_least_room() -> None:
    found = shown("infer llama-3.1-70b q4_k_m, 4090, a100 80gb")
    assert "the NVIDIA GeForce RTX 4090 in" in found.verdict


@pytest.mark.parametrize("stages", [2, 7, 40, 80])
def test_many_stages_go_into_a_reply(stages: int) -> None:
    line = f"infer llama-3.1-70b vllm pp {stages}, {stages}x h100"
    assert len(embed_of(shown(line))) <= MOST_EMBED
