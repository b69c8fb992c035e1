"""Machines by their makers' names, as teams tell of them; and what says that there are none."""

import pytest

from bot.ask import open_desk
from bot.languages import SPOKEN
from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.machine_names import SERIES
from bot.reading.team_cards import read_team
from bot.teaming import NONE, says_none

DESK = open_desk()


def kept(text: str) -> dict[str, int]:
    said = read_team(text, DESK.reader, DESK.catalog, DESK.locale, own=False)
    return {card.id: card.count for card in said.team.cards}


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("1 dgx h100", {"h100-sxm5-80gb": 8}),
        ("DGX-H100", {"h100-sxm5-80gb": 8}),
        ("two dgx h200 systems", {"h200-sxm-141gb": 16}),
        ("2 dgx a100 640gb", {"a100-sxm4-80gb": 16}),
        ("dgx a100 320gb", {"a100-sxm4-40gb": 8}),
        ("1x DGX B200", {"b200-180gb": 8}),
        ("half a dgx h100", {"h100-sxm5-80gb": 4}),
        ("DGX H100 (8x H100 80GB)", {"h100-sxm5-80gb": 8}),
        ("a dgx with 8 h100s", {"h100-sxm5-80gb": 8}),
        ("2 dgx sparks", {"dgx-spark": 2}),
        ("dgx spark x 2", {"dgx-spark": 2}),
        ("3 mac studios 192gb", {"apple-m2-ultra-192gb": 3}),
        ("2 macbook pros m3 max 64gb", {"apple-m3-max-64gb": 2}),
        ("4 framework desktops 128gb", {"strix-halo-128gb": 4}),
        ("a framework desktop with strix halo 128gb", {"strix-halo-128gb": 1}),
        ("strix halo (framework desktop) 128gb", {"strix-halo-128gb": 1}),
        ("macbook m4 max 128gb and a 3090", {"apple-m4-max-128gb": 1, "rtx-3090": 1}),
        ("dos 3090", {"rtx-3090": 2}),
        ("tenemos dos 4090 y una 3060 de 12gb", {"rtx-4090": 2, "rtx-3060-12gb": 1}),
        ("我们有两张3090和一张4090", {"rtx-3090": 2, "rtx-4090": 1}),
        ("3090が2枚と4090が1枚", {"rtx-3090": 2, "rtx-4090": 1}),
        ("у нас две 3090 и одна 4090", {"rtx-3090": 2, "rtx-4090": 1}),
        ("4090 + 3060 12gb", {"rtx-4090": 1, "rtx-3060-12gb": 1}),
        ("one 5090 in the lab, two a6000 in the server room", {"rtx-5090": 1, "rtx-a6000": 2}),
        ("2x3090 + 1x4090 + 1x1080ti", {"rtx-3090": 2, "rtx-4090": 1, "gtx-1080-ti": 1}),
    ],
)
def test_a_machine_is_its_cards(text: str, cards: dict[str, int]) -> None:
    assert kept(text) == cards


@pytest.mark.parametrize("text", ["one dgx", "we have a dgx", "2 dgxs"])
def test_which_dgx_is_asked(text: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        kept(text)
    assert f"`{SERIES[0]}`" in caught.value.message
    assert caught.value.lines == SERIES[: len(caught.value.lines)]


@pytest.mark.parametrize("line", SERIES)
def test_what_is_offered_is_read(line: str) -> None:
    assert list(kept(line).values()) == [8]


def test_a_number_of_a_models_name_counts_no_machines() -> None:
    assert DESK.reader.fields_of("llama 3 mac studio 192gb")["gpus"][0]["count"] == 1


@pytest.mark.parametrize("code", SPOKEN)
def test_no_cards_are_said_in_each_language(code: str) -> None:
    locale = load_locale(code)
    assert locale.team.words[NONE]
    assert all(says_none(text, locale) for text in locale.team.words[NONE])
    assert says_none("None", locale)


@pytest.mark.parametrize("text", ["nothing yet", "No GPUs.", "we don't have any cards", "none"])
def test_no_cards_in_many_words(text: str) -> None:
    assert says_none(text, DESK.locale)


@pytest.mark.parametrize("text", ["one 3090, no 4090s", "3090", "none but a 3090", "", "nope 3090"])
def test_a_card_is_not_none(text: str) -> None:
    assert not says_none(text, DESK.locale)
