"""Every name of every card is read as that card; every word of several is asked back."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import Gpu, load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)
SHARED = sorted({word for gpu in CATALOG.gpus.rows for word in gpu.shared})
BY_NAME = [gpu for gpu in CATALOG.gpus.rows if not set("(,") & set(gpu.name)]


def cards(line: str) -> list[tuple[str, int]]:
    reading = READER.read(line)
    assert not [note for note in reading.notes if "Not read" in note], line
    return [(card["id"], card["count"]) for card in reading.fields["gpus"]]


@pytest.mark.parametrize("gpu", CATALOG.gpus.rows, ids=CATALOG.gpus.ids)
def test_every_alias_is_read_as_its_card(gpu: Gpu) -> None:
    for name in (gpu.id, *gpu.aliases):
        assert cards(f"infer 8B {name}") == [(gpu.id, 1)], name
        assert cards(f"train 7B lora 4x {name.upper()}") == [(gpu.id, 4)], name


@pytest.mark.parametrize("gpu", BY_NAME, ids=lambda gpu: str(gpu.id))
def test_a_name_as_answers_show_it_is_read_as_its_card(gpu: Gpu) -> None:
    assert cards(f"infer 8B {gpu.name}") == [(gpu.id, 1)]
    assert cards(f"infer 8B 2x {gpu.name}") == [(gpu.id, 2)]


@pytest.mark.parametrize("word", SHARED)
def test_a_word_of_several_sizes_is_asked_back_and_settled_by_a_size(word: str) -> None:
    sharing = CATALOG.cards_sharing(word)
    sizes = sorted({gpu.memory_gb for gpu in sharing})
    if len(sizes) > 1:
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(f"infer 8B 2x {word}")
        assert caught.value.code == "ambiguous"
        assert " / ".join(map(str, sizes)) in caught.value.message
        offered = [READER.read(line).fields["gpus"] for line in caught.value.lines]
        assert {gpus[0]["count"] for gpus in offered} == {2}
    else:
        assert cards(f"infer 8B {word}") == [(sharing[0].id, 1)]
    for size in sizes:
        for words in (f"{word} {size}GB", f"2x {word} {size} gb", f"{size}GB {word}"):
            ((found, _),) = cards(f"infer 8B {words}")
            assert CATALOG.gpus.find(found) in sharing, words
            assert CATALOG.gpus.find(found).memory_gb == size, words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("infer 70B q4 8*4090", [("rtx-4090", 8)]),
        ("infer 8B A10*4", [("a10", 4)]),
        ("qlora 13b 2x3090 + 1x4090", [("rtx-3090", 2), ("rtx-4090", 1)]),
        ("can a 24 gig card run 8b q8?", [("class-24gb", 1)]),
        ("infer 70B q4 3090s x2", [("rtx-3090", 2)]),
        ("infer 70B q4 on a pair of 4090s", [("rtx-4090", 2)]),
        ("infer 8B two 2080s", [("rtx-2080", 2)]),
        ("train 70B full zero3 4 x H100 SXM", [("h100-sxm5-80gb", 4)]),
        ("infer 70B 2x NVIDIA H100 80GB HBM3", [("h100-sxm5-80gb", 2)]),
        ("infer 70B NVIDIA A100-SXM4-80GB", [("a100-sxm4-80gb", 1)]),
        ("infer 70B 1x H100-SXM5-80GB", [("h100-sxm5-80gb", 1)]),
        ("infer 70B 2 A100 (80GB)", [("a100-sxm4-80gb", 2)]),
        ("infer 70B a100 pcie 80gb x2", [("a100-pcie-80gb", 2)]),
        ("infer 8B nvidia-tesla-t4", [("t4", 1)]),
        ("infer 70B NVIDIA L40S-48GB", [("l40s", 1)]),
        ("infer 32B awq rtx 6000 ada", [("rtx-6000-ada", 1)]),
        ("infer 70B awq RTX PRO 6000 Blackwell", [("rtx-pro-6000-blackwell", 1)]),
        ("infer 70B fp8 mi300x x8", [("mi300x", 8)]),
        ("infer 32B q4 7900xtx", [("rx-7900-xtx", 1)]),
        ("infer 32B q4 4x7900xt", [("rx-7900-xt", 4)]),
        ("infer 70B q4 mac studio 512", [("apple-m3-ultra-512gb", 1)]),
        ("infer 8B MacBook Pro M4 Pro 24GB", [("apple-m4-pro-24gb", 1)]),
        ("infer 8B m3 max 36gb macbook", [("apple-m3-max-36gb", 1)]),
        ("infer 30B q4 Ryzen AI Max+ 395 128GB", [("strix-halo-128gb", 1)]),
        ("infer 120b framework desktop 128 strix halo", [("strix-halo-128gb", 1)]),
        ("infer 8B q4 jetson orin nano 8gb", [("jetson-orin-nano-8gb", 1)]),
        ("infer 8B MIG 3g.40gb", [("a100-80gb-3g.40gb", 1)]),
        ("infer 8B 2x A100-SXM4-40GB MIG 1g.5gb", [("a100-40gb-1g.5gb", 2)]),
        ("infer 70B fp8 gh200 480", [("gh200-96gb", 1)]),
        ("infer 32B 8x H20 141G", [("h20-141gb", 8)]),
        ("infer 30B 5070 Ti and a 5090 D", [("rtx-5070-ti", 1), ("rtx-5090-d", 1)]),
        ("infer 70B 8 ascend 910b", [("ascend-910b-64gb", 8)]),
        ("infer 8B rtx 4090 (24GB) x 2", [("rtx-4090", 2)]),
        ("infer 70B A100 (80 GB) x4", [("a100-sxm4-80gb", 4)]),
        ("infer 8B 3060 8 GB", [("rtx-3060-8gb", 1)]),
        ("infer 8B 4090 laptop 16gb", [("rtx-4090-laptop", 1)]),
        ("infer 8B 3080 16gb laptop", [("rtx-3080-laptop-16gb", 1)]),
        ("infer 70B q4 3090+3090+3060 12gb", [("rtx-3090", 2), ("rtx-3060-12gb", 1)]),
        ("infer 30B NVIDIA L4, nvidia l4", [("l4", 2)]),
    ],
)
def test_cards_as_people_write_them(line: str, expected: list[tuple[str, int]]) -> None:
    assert [(card["id"], card["count"]) for card in READER.read(line).fields["gpus"]] == expected


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("train t5-3b lora", {"gpus"}),
        ("infer deepseek v3 fp8", {"gpus"}),
        ("infer 7B ctx=1060", {"gpus"}),
        ("train 7B lora seq=2080 bs 2", {"gpus"}),
        ("infer 8B max 1100 tokens", {"gpus"}),
    ],
)
def test_a_card_s_number_steals_nothing(line: str, kept: set[str]) -> None:
    try:
        fields = READER.read(line).fields
    except NotUnderstoodError as error:
        fields = dict(error.understood)
    assert not kept & set(fields)
