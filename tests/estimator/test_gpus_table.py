"""The card tables: totals stand to each other as drivers and PyTorch print them."""

import re

import pytest

from estimator.catalog import load_catalog
from estimator.gpu_rows import CardClass, Ecc, Gpu, Instance, Microarchitecture
from estimator.table import key_of
from estimator.units import GIB, MIB

CATALOG = load_catalog()
GPUS, CLASSES, INSTANCES = CATALOG.gpus, CATALOG.classes, CATALOG.instances
USE = CATALOG.card_use
LEAST_SHARE = 0.93  # ECC and reserved rows take at most this much of the box size
ECC_SHARE = 15 / 16
CLASS_SPREAD = 0.07  # 180/192 GB is the widest class
AT_LEAST, INSTANCES_AT_LEAST = 300, 180
MOST = 0.85  # of the cards whose gap is known
ROUNDING_MIB = 10  # totals in GiB are printed with two digits
FIRST_BF16, FIRST_FP8, FIRST_FP4 = (8, 0), (8, 9), (10, 0)  # compute capabilities
LONGEST_DRIVER_GAP_MIB = 1200  # 1103 seen on a GH200, 882 on an A100
LANES = (4, 8, 16)
SLOWEST_GBS, FASTEST_GBS = 50, 8500
UNIFIED_MAC = {512: 0.906}  # of the sizes that follow no rule


def test_there_are_enough_cards() -> None:
    """Cards of every maker are there."""
    assert len(GPUS.rows) >= AT_LEAST
    assert len(INSTANCES.rows) >= INSTANCES_AT_LEAST
    makers = {gpu.vendor for gpu in GPUS.rows}
    assert makers == {"nvidia", "amd", "apple", "intel", "google", "huawei"}


def test_every_name_belongs_to_one_card() -> None:
    """Ids and aliases are distinct without case and separators, in each table."""
    assert GPUS.by_key
    assert CLASSES.by_key
    assert INSTANCES.by_key
    rows: tuple[Gpu | CardClass | Instance, ...]
    rows = (*GPUS.rows, *CLASSES.rows, *INSTANCES.rows)
    for row in rows:
        keys = [key_of(name) for name in (row.id, *row.aliases)]
        assert len(keys) == len(set(keys)), row.id


def test_no_name_is_a_card_and_an_instance() -> None:
    """What names a card means no machine, and a word of several cards neither."""
    shared = {key_of(word) for gpu in GPUS.rows for word in gpu.shared}
    assert not set(GPUS.by_key) & set(INSTANCES.by_key)
    assert not set(GPUS.by_key) & set(CLASSES.by_key)
    assert not shared & set(INSTANCES.by_key)


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_totals_lie_within_the_box_size(gpu: Gpu) -> None:
    """The driver shows at most what is on the box, in GiB, and little less unless shared."""
    box_bytes = gpu.memory_gb * GIB
    totals = [gpu.reported_mib * MIB] if gpu.reported_mib else []
    totals += [round(gpu.torch_total_gib * GIB)] if gpu.torch_total_gib else []
    for total_bytes in totals:
        assert total_bytes <= box_bytes
        if not gpu.unified:
            assert max(totals) >= LEAST_SHARE * box_bytes


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_pytorch_sees_no_more_than_the_driver(gpu: Gpu) -> None:
    """PyTorch's total is the driver's less what the driver keeps; AMD's keeps nothing."""
    if gpu.reported_mib is None or gpu.torch_total_gib is None:
        return
    gap_mib = gpu.reported_mib - gpu.torch_total_gib * GIB / MIB
    assert gap_mib >= -ROUNDING_MIB
    if gpu.vendor == "amd":
        assert gap_mib <= ROUNDING_MIB
    if gpu.vendor == "nvidia":
        assert gap_mib <= LONGEST_DRIVER_GAP_MIB


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_error_correction_takes_a_sixteenth_where_it_is_on(gpu: Gpu) -> None:
    """The driver's total says in which state a card is delivered."""
    if gpu.reported_mib is None or gpu.ecc is None:
        return
    share = gpu.reported_mib / (gpu.memory_gb * 1024)
    if gpu.ecc is Ecc.ON:
        assert share <= ECC_SHARE
    if gpu.ecc is Ecc.OFF:
        assert share > ECC_SHARE


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_a_unified_memory_lends_the_share_that_it_is_said_to(gpu: Gpu) -> None:
    """Of cards with memory of their own there is no share; Apple's follows from the size."""
    if not gpu.unified:
        assert gpu.unified_share is None
        return
    if gpu.vendor == "apple":
        rule = UNIFIED_MAC.get(gpu.memory_gb, 2 / 3 if gpu.memory_gb <= 32 else 3 / 4)
        assert gpu.unified_share == pytest.approx(rule, abs=0.001)
    total_mib = (gpu.torch_total_gib or 0) * GIB / MIB or gpu.reported_mib
    if total_mib and gpu.unified_share:
        assert total_mib / (gpu.memory_gb * 1024) == pytest.approx(gpu.unified_share, abs=0.012)


@pytest.mark.parametrize("chip", CATALOG.chips, ids=lambda chip: str(chip.id))
def test_what_a_chip_computes_in_follows_its_compute_capability(chip: Microarchitecture) -> None:
    """NVIDIA's types came one after the other; what has FP4 has FP8, and what has that bf16."""
    assert not chip.fp4 or chip.fp8
    assert not chip.fp8 or chip.bf16
    if chip.compute_capability is None:
        return
    major, minor = map(int, chip.compute_capability.split("."))
    assert chip.bf16 == ((major, minor) >= FIRST_BF16)
    assert chip.flash_attention == ((major, minor) >= FIRST_BF16)
    assert chip.fp8 == ((major, minor) >= FIRST_FP8)
    assert chip.fp4 == ((major, minor) >= FIRST_FP4)


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_chips_are_their_makers(gpu: Gpu) -> None:
    """Only NVIDIA's have a compute capability, only AMD's an LLVM target."""
    assert (gpu.compute_capability is not None) == (gpu.vendor == "nvidia")
    assert bool(re.match(r"gfx\d", gpu.microarchitecture.id)) == (gpu.vendor == "amd")
    assert gpu.microarchitecture.id.startswith("apple-") == (gpu.vendor == "apple")
    assert gpu.microarchitecture.id.startswith("tpu-") == (gpu.vendor == "google")


def test_every_chip_has_a_card() -> None:
    """No microarchitecture is left over."""
    assert {chip.id for chip in CATALOG.chips} == {gpu.microarchitecture.id for gpu in GPUS.rows}


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_links_and_bandwidths_are_possible(gpu: Gpu) -> None:
    """PCIe has lanes, NVLink a generation; rates are what a link of that generation has."""
    if gpu.bandwidth_gbs is not None:
        assert SLOWEST_GBS <= gpu.bandwidth_gbs <= FASTEST_GBS
    link = gpu.link
    if link is None:
        return
    assert link.lanes is None or (link.kind == "pcie" and link.lanes in LANES)
    assert link.generation is not None or link.kind not in ("pcie", "nvlink")
    assert not link.bridge or link.kind == "nvlink"
    rates = {2: 300, 3: 600, 4: 900, 5: 1800}
    if link.kind == "nvlink" and link.gbs is not None:
        assert link.gbs == rates[link.generation or 0]
        assert not link.bridge


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_a_slice_is_smaller_than_its_card(gpu: Gpu) -> None:
    """It computes in the same, and its name's size is no more than the card's."""
    if gpu.slice_of is None:
        return
    whole = GPUS.find(gpu.slice_of)
    assert gpu.memory_gb <= whole.memory_gb
    assert gpu.microarchitecture == whole.microarchitecture
    assert gpu.id.endswith(f".{gpu.memory_gb}gb")


@pytest.mark.parametrize("gpu", GPUS.rows, ids=GPUS.ids)
def test_shared_words_are_settled_by_a_size(gpu: Gpu) -> None:
    """A word of several cards is no card's own name, and several cards do share it."""
    for word in gpu.shared:
        assert GPUS.get(word) is None
        assert len(CATALOG.cards_sharing(word)) > 1
        assert gpu in CATALOG.cards_sharing(word)


@pytest.mark.parametrize("card_class", CLASSES.rows, ids=CLASSES.ids)
def test_members_are_within_their_class(card_class: CardClass) -> None:
    """Members have the size that the class is called by, and memory of their own, seen."""
    for member in map(GPUS.find, card_class.members):
        assert abs(member.memory_gb - card_class.memory_gb) <= CLASS_SPREAD * card_class.memory_gb
        assert not member.unified
        assert member.has_total


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
        ("Tesla V100S-PCIE-32GB", "v100s-pcie-32gb"),
        ("Intel Arc B580 Graphics", "arc-b580"),
    ],
)
def test_cards_are_found_as_people_type_them(typed: str, card: str) -> None:
    """Nicknames, driver names and sizes lead to one card."""
    assert GPUS.find(typed).id == card


@pytest.mark.parametrize("word", ["a100", "v100", "3080", "4060 ti", "5060 ti", "rtx 6000", "mi50"])
def test_a_word_of_several_sizes_names_none(word: str) -> None:
    """What fits several sizes is asked back."""
    assert GPUS.get(word) is None
    assert len({gpu.memory_gb for gpu in CATALOG.cards_sharing(word)}) > 1


def test_usable_says_what_is_taken_off() -> None:
    """The assumed context is a measured one, and the assumed gaps cover most that are known."""
    assert USE.context_mib in {gpu.context_mib for gpu in GPUS.rows}
    assert 0 < USE.gap_small_mib < USE.gap_large_mib
    covered = []
    for gpu in GPUS.rows:
        if gpu.vendor == "nvidia" and gpu.reported_mib and gpu.torch_total_gib:
            gap = USE.gap_large_mib if gpu.memory_gb >= USE.gap_from_gb else USE.gap_small_mib
            gap_mib = gpu.reported_mib - gpu.torch_total_gib * GIB / MIB
            covered.append(gap_mib <= gap + ROUNDING_MIB)
    assert sum(covered) >= MOST * len(covered)


@pytest.mark.parametrize("maker", sorted(USE.box_shares))
def test_an_unseen_total_is_taken_as_low_as_any_that_was_seen(maker: str) -> None:
    """No card of that maker shows a smaller share of its box, ECC and the B300 apart."""
    for gpu in GPUS.rows:
        whole = gpu.vendor == maker and not gpu.unified and gpu.slice_of is None
        if not whole or not gpu.has_total or gpu.ecc is Ecc.ON or gpu.id.startswith(("b300", "gb")):
            continue
        torch_mib = gpu.torch_total_gib and gpu.torch_total_gib * GIB / MIB
        seen_mib = gpu.reported_mib if maker == "nvidia" else torch_mib
        if seen_mib:
            assert seen_mib >= USE.box_shares[maker] * gpu.memory_gb * 1024, gpu.id


@pytest.mark.parametrize("instance", INSTANCES.rows, ids=INSTANCES.ids)
def test_instances_have_cards_of_the_table(instance: Instance) -> None:
    """A card, a possible number of it, and more memory in the host than nothing."""
    assert GPUS.get(instance.gpu) is not None
    assert instance.count in (1, 2, 4, 8, 16)
    assert instance.host_memory is None or instance.host_memory > 0


@pytest.mark.parametrize("instance", INSTANCES.rows, ids=INSTANCES.ids)
def test_a_count_in_an_instance_s_name_is_its_count(instance: Instance) -> None:
    """`a2-ultragpu-8g`, `gpu_4x_a6000`, `BM.GPU.H100.8` say how many cards they have."""
    patterns = (r"gpu-(\d+)g$", r"gpu_(\d+)x_", r"^(?:BM|VM)\.GPU.*\.(\d+)$")
    for pattern in patterns:
        if match := re.search(pattern, instance.id):
            assert instance.count == int(match[1])
