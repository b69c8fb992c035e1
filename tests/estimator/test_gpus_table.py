"""The card table: totals stand to each other as drivers and PyTorch print them."""

import tomllib
from importlib import resources
from typing import Any

import pytest

from estimator.rows import CardClass, Gpu
from estimator.table import Table, key_of
from estimator.units import GIB, MIB

LEAST_SHARE = 0.93  # ECC and reserved rows take at most this much of the box size
CLASS_SPREAD = 0.07  # 180/192 GB is the widest class
AT_LEAST = 40
MOST = 0.85  # of the cards whose gap is known
ROUNDING_MIB = 10  # totals in GiB are printed with two digits


DATA: dict[str, Any] = tomllib.loads(
    (resources.files("estimator") / "data" / "gpus.toml").read_text(encoding="utf-8")
)
GPUS = Table("card", tuple(Gpu.model_validate(row) for row in DATA["gpu"]))
CLASSES = Table("card class", tuple(CardClass.model_validate(row) for row in DATA["class"]))


def _total_bytes(gpu: Gpu) -> float:
    if gpu.torch_total_gib is not None:
        return gpu.torch_total_gib * GIB
    assert gpu.reported_mib is not None
    return gpu.reported_mib * MIB


def test_there_are_enough_cards() -> None:
    """The common cards are there."""
    assert len(GPUS.rows) >= AT_LEAST


def test_every_name_belongs_to_one_card() -> None:
    """Ids and aliases are distinct without case and separators, in both tables."""
    assert GPUS.by_key
    assert CLASSES.by_key
    rows: tuple[Gpu | CardClass, ...] = (*GPUS.rows, *CLASSES.rows)
    for row in rows:
        keys = [key_of(name) for name in (row.id, *row.aliases)]
        assert len(keys) == len(set(keys)), row.id


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_totals_lie_within_the_box_size(gpu: Gpu) -> None:
    """The driver shows at most what is on the box, in GiB, and little less unless shared."""
    box_bytes = gpu.memory_gb * GIB
    for total_bytes in (
        gpu.reported_mib and gpu.reported_mib * MIB,
        gpu.torch_total_gib and gpu.torch_total_gib * GIB,
    ):
        if total_bytes:
            assert total_bytes <= box_bytes
    if not gpu.unified:
        reported_bytes = gpu.reported_mib * MIB if gpu.reported_mib else _total_bytes(gpu)
        assert reported_bytes >= LEAST_SHARE * box_bytes


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_pytorch_sees_no_more_than_the_driver(gpu: Gpu) -> None:
    """PyTorch's total is the driver's less what the driver keeps."""
    if gpu.reported_mib is not None and gpu.torch_total_gib is not None:
        assert gpu.torch_total_gib * GIB <= gpu.reported_mib * MIB


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_shared_words_are_settled_by_a_size(gpu: Gpu) -> None:
    """A word of several cards is no card's own name, and several cards do share it."""
    for word in gpu.shared:
        assert GPUS.get(word) is None
        keys = [{key_of(name) for name in other.shared} for other in GPUS.rows]
        assert sum(key_of(word) in names for names in keys) > 1


@pytest.mark.parametrize("card_class", CLASSES.rows, ids=CLASSES.ids)
def test_members_are_within_their_class(card_class: CardClass) -> None:
    """Members have the size that the class is called by, and memory of their own."""
    for member in map(GPUS.find, card_class.members):
        assert abs(member.memory_gb - card_class.memory_gb) <= CLASS_SPREAD * card_class.memory_gb
        assert not member.unified


def test_classes_grow() -> None:
    """Smallest first, as answers list them."""
    sizes = [card_class.memory_gb for card_class in CLASSES.rows]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        ("a100 80gb", "a100-sxm4-80gb"),
        ("A100-40GB", "a100-sxm4-40gb"),
        ("V100 32GB", "v100-sxm2-32gb"),
        ("h100", "h100-sxm5-80gb"),
        ("3060", "rtx-3060-12gb"),
        ("RTX4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("Tesla T4", "t4"),
        ("7900 XTX", "rx-7900-xtx"),
        ("pro6000", "rtx-pro-6000-blackwell"),
        ("m4 max 128gb", "apple-m4-max-128gb"),
    ],
)
def test_cards_are_found_as_people_type_them(typed: str, card: str) -> None:
    """Nicknames, driver names and sizes lead to one card."""
    assert GPUS.find(typed).id == card


@pytest.mark.parametrize("word", ["a100", "v100", "3080", "4060 ti", "5060 ti", "rtx 6000"])
def test_a_word_of_several_sizes_names_none(word: str) -> None:
    """What fits several sizes is asked back."""
    assert GPUS.get(word) is None
    assert any(key_of(word) in map(key_of, gpu.shared) for gpu in GPUS.rows)


def test_usable_says_what_is_taken_off() -> None:
    """The assumed context is a measured one, and the assumed gaps cover most that are known."""
    usable = DATA["usable"]
    assert usable["context_mib"] in {gpu.context_mib for gpu in GPUS.rows}
    assert 0 < usable["gap_small_mib"] < usable["gap_large_mib"]
    covered = []
    for gpu in GPUS.rows:
        if gpu.vendor == "nvidia" and gpu.reported_mib and gpu.torch_total_gib:
            size = "large" if gpu.memory_gb >= usable["gap_from_gb"] else "small"
            gap_mib = gpu.reported_mib - gpu.torch_total_gib * GIB / MIB
            covered.append(gap_mib <= usable[f"gap_{size}_mib"] + ROUNDING_MIB)
    assert sum(covered) >= MOST * len(covered)
