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
    "16384 H100s": [("h100-sxm5-80gb", 16384)],
    "on 16,384 H100 GPUs": [("h100-sxm5-80gb", 16384)],
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
    "3090 3090": [("rtx-3090", 2)],
    "3090, 2x 4090": [("rtx-3090", 1), ("rtx-4090", 2)],
    "flash attention 2 h200": [("h200-sxm-141gb", 1)],
    "flash attention 2, 2x h200": [("h200-sxm-141gb", 2)],
    "24x 3090": [("rtx-3090", 24)],
    "m3 max 128gb": [("apple-m3-max-128gb", 1)],
    "1080ti": [("gtx-1080-ti", 1)],
    "single 80gb h100": [("h100-sxm5-80gb", 1)],
    "one 16gb 4080": [("rtx-4080", 1)],
    "2x 24gb 3090": [("rtx-3090", 2)],
    "a single 12gb 3060": [("rtx-3060-12gb", 1)],
    "dual 24gb 3090s": [("rtx-3090", 2)],
    "two 48gb a6000": [("rtx-a6000", 2)],
    "4x 80GB nvidia a100": [("a100-sxm4-80gb", 4)],
    "2x 24gb vram cards 3090": [("rtx-3090", 2)],
    "2x 24gb, 3090": [("class-24gb", 2), ("rtx-3090", 1)],
    "two 24gb cards": [("class-24gb", 2)],
    "3090 and 4090": [("rtx-3090", 1), ("rtx-4090", 1)],
    "3090 + 4090": [("rtx-3090", 1), ("rtx-4090", 1)],
    "3090 with a 4090": [("rtx-3090", 1), ("rtx-4090", 1)],
    "3090 w/ 4090": [("rtx-3090", 1), ("rtx-4090", 1)],
    "3090 or 3090": [("rtx-3090", 1)],
    "3090 or better": [("rtx-3090", 1)],
    "laptop 4090": [("rtx-4090-laptop", 1)],
    "4090 laptop": [("rtx-4090-laptop", 1)],
    "laptop with an rtx 4060": [("rtx-4060-laptop", 1)],
    "laptop 3060": [("rtx-3060-laptop", 1)],
    "2x 4090 in a laptop": [("rtx-4090-laptop", 2)],
    "m1 macbook air 16gb": [("apple-m1-16gb", 1)],
    "macbook pro m3 max 64gb": [("apple-m3-max-64gb", 1)],
    "mac studio 192gb": [("apple-m2-ultra-192gb", 1)],
    "192gb mac studio": [("apple-m2-ultra-192gb", 1)],
    "mac studio, 512gb": [("apple-m3-ultra-512gb", 1)],
    "my laptop has 8gb vram": [("class-8gb", 1)],
    "4090 48gb": [("rtx-4090-48gb", 1)],
    "macbook air 8gb": [("apple-m3-8gb", 1)],
    "macbook 16gb": [("apple-m5-16gb", 1)],
    "mac studio 128gb": [("apple-m5-max-128gb", 1)],
    "m1 pro 16gb": [("apple-m1-pro-16gb", 1)],
    "m4 max macbook pro 64gb": [("apple-m4-max-64gb", 1)],
    "5090 laptop": [("rtx-5090-laptop", 1)],
    "3080 laptop 16gb": [("rtx-3080-laptop-16gb", 1)],
    "h800": [("h800-sxm5-80gb", 1)],
    "8x H800 80GB": [("h800-sxm5-80gb", 8)],
    "rtx 3050 8gb": [("rtx-3050-8gb", 1)],
    "gtx 1660 super": [("gtx-1660-super", 1)],
    "rx 580 8gb": [("rx-580-8gb", 1)],
    "arc a770 16gb": [("arc-a770-16gb", 1)],
    "24gb tesla m40": [("m40-24gb", 1)],
    "2x M40 24GB + T4": [("m40-24gb", 2), ("t4", 1)],
    "jetson orin 64gb": [("jetson-agx-orin-64gb", 1)],
    "4x tpu v4": [("tpu-v4", 4)],
    "tpu v5e 16gb": [("tpu-v5e", 1)],
    "mi50 32gb": [("mi50-32gb", 1)],
    "gaudi 3": [("gaudi-3", 1)],
    "3x 64GB": [("class-64gb", 3)],
}
REFUSED = {
    "4xA100": ("ambiguous", "40 / 80", "4x a100 80GB"),
    "24 3090": ("ambiguous", "that many cards", "24x rtx-3090 24GB"),
    "3090 48gb": ("contradiction", "24 GB, not 48", "rtx-3090"),
    "17GB": ("unknown_name", "17 GB", "16GB"),
    "0x3090": ("bad_number", "0x3090", None),
    "0 3090": ("bad_number", "from 1 up", None),
    "1.5x 3090": ("bad_number", "from 1 up", None),
    "macbook air 12gb": ("unknown_name", "`macbook air 12GB`", "apple-m1-16gb"),
    "m1 pro 64gb": ("ambiguous", "16 / 32", "m1 pro 32GB"),
    "m2 ultra": ("ambiguous", "64 / 128 / 192", "m2 ultra 192GB"),
    "m4": ("ambiguous", "which?", "apple-m4-16gb"),
    "3080 laptop": ("ambiguous", "8 / 16", "3080 laptop 16GB"),
    "jetson orin": ("ambiguous", "8 / 16 / 32 / 64", "jetson orin 64GB"),
    "rtx 6000": ("ambiguous", "24 / 48 / 96", "rtx 6000 48GB"),
    "mi50": ("ambiguous", "16 / 32", "mi50 32GB"),
    "1080 ti laptop": ("unknown_name", "`1080 ti laptop`", None),
    "laptop 16gb": ("unknown_name", "`laptop`", None),
    "h900": ("unknown_name", "`h900`", None),
    "8x H900 80GB": ("unknown_name", "`H900 80GB`", None),
    "rtx 4030 8gb": ("unknown_name", "`rtx 4030 8GB`", None),
    "gtx 970": ("unknown_name", "`gtx 970`", None),
    "rx 570 8gb": ("unknown_name", "`rx 570 8GB`", None),
    "arc a550 8gb": ("unknown_name", "`arc a550 8GB`", None),
    "24gb tesla k20": ("unknown_name", "`tesla k20 24GB`", None),
    "jetson xavier 32gb": ("unknown_name", "`jetson xavier 32GB`", None),
    "iphone 15 pro": ("unknown_name", "`iphone 15 pro`", None),
    "tpu v3": ("unknown_name", "`tpu v3`", None),
    "tpu v2 8gb": ("unknown_name", "`tpu v2 8GB`", None),
    "raspberry pi 5 8gb": ("unknown_name", "`raspberry pi 5 8GB`", None),
}
ALTERNATIVES = {
    "3090 or 5090": ["rtx-3090", "rtx-5090"],
    "a 3060 12gb or a 4060 ti 16gb": ["rtx-3060-12gb", "rtx-4060-ti-16gb"],
    "24gb or 16gb": ["24GB", "16GB"],
    "24 or 16gb": ["24GB", "16GB"],
    "24/48gb": ["24GB", "48GB"],
    "16gb/24gb": ["16GB", "24GB"],
    "a100 40gb/80gb": ["a100-sxm4-40gb", "80GB"],
    "2x3090 or 1x a6000": ["2x rtx-3090", "rtx-a6000"],
    "3090/4090": ["rtx-3090", "rtx-4090"],
    "3090 / 4090": ["rtx-3090", "rtx-4090"],
    "3090 vs 4090": ["rtx-3090", "rtx-4090"],
    "3090 versus 4090": ["rtx-3090", "rtx-4090"],
    "3090, 4090 or 5090": ["rtx-3090", "rtx-4090", "rtx-5090"],
    "3090 and 4090 or a6000": ["rtx-3090, rtx-4090", "rtx-a6000"],
    "3090 24gb or 16gb": ["rtx-3090", "16GB"],
    "4090 instead of a 3090": ["rtx-4090", "rtx-3090"],
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


@pytest.mark.parametrize(("words", "cards"), ALTERNATIVES.items())
def test_alternatives_are_asked_back_with_a_line_for_each(words: str, cards: list[str]) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B lora {words}")
    assert caught.value.code == "ambiguous"
    assert "together, or one of them?" in caught.value.message
    assert "gpus" not in caught.value.understood
    lines = caught.value.lines
    assert lines[:-1] == tuple(f"train 7B lora {card}" for card in cards)
    together = [READER.read(line).fields["gpus"] for line in lines]
    assert together[-1] == [card for entry in together[:-1] for card in entry]


@pytest.mark.parametrize(
    "line",
    [
        "needs 16gb or 24gb on my 3090 for a 7b lora",
        "will a 7b lora fit on a 3090 or not",
        "7B lora or qlora, 3090, 4090",
    ],
)
def test_another_or_asks_nothing_of_the_cards(line: str) -> None:
    try:
        cards = READER.read(line).fields["gpus"]
    except NotUnderstoodError as error:
        cards = error.understood["gpus"]
    assert cards[0]["id"] == "rtx-3090"


@pytest.mark.parametrize("words", ["macbook air 12gb", "laptop 16gb", "K20 24GB", "16gb iphone"])
def test_the_memory_of_an_unknown_device_is_offered_as_no_class(words: str) -> None:
    for line in (f"train 7B lora {words}", f"will a 7B lora fit on my {words} please"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(line)
        assert "gpus" not in caught.value.understood
        for offered in caught.value.lines:
            cards = READER.read(offered).fields.get("gpus", [])
            assert not [card for card in cards if card["id"].startswith("class")]


def test_a_device_read_as_a_card_is_said() -> None:
    (note,) = READER.read("infer 8B q4 mac studio 192gb").notes
    assert "`mac studio 192GB`" in note
    assert "`apple-m2-ultra-192gb`" in note


def test_a_card_beside_a_count_of_gigabytes_of_something_else() -> None:
    line = "will the lora on 8x L4 for a 7b take 17 gigs on each card?"
    assert READER.read(line).fields["gpus"] == [{"id": "l4", "count": 8}]


@pytest.mark.parametrize("words", ["Qwen3.5-122B-A10B", "6GB 10 users", "M40 24GB"])
def test_letters_and_numbers_of_other_things_are_no_card(words: str) -> None:
    try:
        fields = READER.read(f"infer 7B {words} and nonsenseword").fields
    except NotUnderstoodError as error:
        fields = error.understood
    ids = {card["id"] for card in fields.get("gpus", ())}
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


@pytest.mark.parametrize("count", [513, 2000, 3000, 5000, 7000, 9000])
def test_a_large_count_of_cards_is_no_processor(count: int) -> None:
    """There is a Ryzen 5600X, and none of thousands alone."""
    fields = READER.fields_of(f"{count}x 3090")
    assert fields["gpus"] == [{"id": "rtx-3090", "count": count}]
