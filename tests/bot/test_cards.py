"""Cards as people say them."""

import pytest

from bot.locale import load_locale
from bot.reading.cards import cards_of
from bot.reading.facts import CardsSaid, NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

CATALOG = load_catalog()
LOCALE = load_locale()
READER = Reader(LOCALE, CATALOG)

SAID = {
    "3090": [("rtx-3090", 1)],
    "2x3090": [("rtx-3090", 2)],
    "2 x RTX 3090": [("rtx-3090", 2)],
    "3090x2": [("rtx-3090", 2)],
    "dual 3090": [("rtx-3090", 2)],
    "4 3090s": [("rtx-3090", 4)],
    "80GB": [("class-80gb", 1)],
    "24 gig": [("class-24gb", 1)],
    "3x 24GB": [("class-24gb", 3)],
    "4xA100 80g": [("a100-sxm4-80gb", 4)],
    "A100 80GB x4": [("a100-sxm4-80gb", 4)],
    "8*h100": [("h100-sxm5-80gb", 8)],
    "80GB H100": [("h100-sxm5-80gb", 1)],
    "4090 24gb": [("rtx-4090", 1)],
    "4090, flash, 24gb": [("rtx-4090", 1)],
    "3090 3090": [("rtx-3090", 1)],
    "3090, 2x 4090": [("rtx-3090", 1), ("rtx-4090", 2)],
    "flash attention 2 h200": [("h200-sxm-141gb", 1)],
    "flash attention 2, 2x h200": [("h200-sxm-141gb", 2)],
    "24x 3090": [("rtx-3090", 24)],
    "m3 max 128gb": [("apple-m3-max-128gb", 1)],
    "1080ti": [("gtx-1080-ti", 1)],
}
REFUSED = {
    "4xA100": ("ambiguous", "40 / 80", "4x a100 80GB"),
    "24 3090": ("ambiguous", "that many cards", "24x rtx-3090 24GB"),
    "4090 48gb": ("contradiction", "24 GB, not 48", "rtx-4090"),
    "17GB": ("unknown_name", "17 GB", "16GB"),
    "0x3090": ("bad_number", "0x3090", None),
    "0 3090": ("bad_number", "from 1 up", None),
    "1.5x 3090": ("bad_number", "from 1 up", None),
}


@pytest.mark.parametrize(("words", "cards"), SAID.items())
def test_cards(words: str, cards: list[tuple[str, int]]) -> None:
    fields = READER.read(f"train 7B lora {words}").fields
    assert [(card["id"], card["count"]) for card in fields["gpus"]] == cards
    assert set(fields) - {"attention"} == {"task", "model", "method", "gpus"}


@pytest.mark.parametrize(("words", "expected"), REFUSED.items())
def test_cards_that_cannot_be(words: str, expected: tuple[str, str, str | None]) -> None:
    code, part, offered = expected
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B lora {words}")
    assert caught.value.code == code
    assert part in caught.value.message
    wanted = "train 7B lora" if offered is None else f"train 7B lora {offered}"
    assert wanted in caught.value.lines


def test_a_card_beside_a_count_of_gigabytes_of_something_else() -> None:
    line = "will the lora on 8x L4 for a 7b take 17 gigs on each card?"
    assert READER.read(line).fields["gpus"] == [{"id": "l4", "count": 8}]


@pytest.mark.parametrize("words", ["Qwen3.5-122B-A10B", "6GB 10 users", "M40 24GB"])
def test_letters_and_numbers_of_other_things_are_no_card(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer 7B {words} and nonsenseword")
    ids = {card["id"] for card in caught.value.understood.get("gpus", ())}
    assert not ids & {"a10", "dgx-spark", "a40"}


def test_an_amount_that_no_card_has_is_no_card_in_a_sentence() -> None:
    said = [CardsSaid(1, "", 17.0)]
    assert cards_of(said, CATALOG, LOCALE, strict=False) == []
    with pytest.raises(NotUnderstoodError):
        cards_of(said, CATALOG, LOCALE, strict=True)


@pytest.mark.parametrize(
    ("words", "strategy", "count"),
    [
        ("deepspeed 3 3090", "zero3", 1),
        ("zero 3 3090", "zero3", 1),
        ("deepspeed 3, 4x 3090", "zero3", 4),
        ("fsdp 2 3090", "fsdp", 2),
        ("data parallel 8 3090s", "ddp", 8),
    ],
)
def test_a_version_keeps_its_number(words: str, strategy: str, count: int) -> None:
    fields = READER.read(f"train 7B {words}").fields
    assert fields["strategy"] == strategy
    assert fields["gpus"] == [{"id": "rtx-3090", "count": count}]


@pytest.mark.parametrize(
    ("line", "card"),
    [
        ("infer 8B q4_k_m m3 max 64gb ram", "apple-m3-max-64gb"),
        ("infer 8B q4_k_m a100 80gb ram", "a100-sxm4-80gb"),
        ("infer 8B q4_k_m 4090 64GB RAM", "rtx-4090"),
        ("infer 8B q4_k_m 4090 24GB RAM", "rtx-4090"),
        ("infer 8B q4_k_m dgx spark 128gb ram", "dgx-spark"),
    ],
)
def test_ram_behind_a_card_is_its_own_or_the_hosts(line: str, card: str) -> None:
    assert READER.read(line).fields["gpus"] == [{"id": card, "count": 1}]
