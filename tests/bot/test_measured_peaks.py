"""What people paste as a peak: units, commas, cells of nvidia-smi, output of the snippet, junk."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.measuring.amounts import AmountError
from bot.measuring.peaks import MOST_TYPED, Peaks, read_peaks, read_statistic
from estimator import GB, GIB, MIB, Statistic

ALLOCATED, RESERVED, DEVICE = Statistic
REFUSED = load_locale().measured.refused
SMI = """\
Mon Nov 30 17:19:02 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 560.35.03              Driver Version: 560.35.03      CUDA Version: 12.6     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|=========================================+========================+======================|
|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |
| 30%   48C    P2            212W /  450W |      0MiB /  24564MiB |     98%      Default |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 4090        Off |   00000000:02:00.0 Off |                  Off |
| 30%   48C    P2            212W /  450W |   23714MiB /  24564MiB |     98%      Default |
+-----------------------------------------+------------------------+----------------------+
"""


def sizes(found: Peaks) -> dict[Statistic, int]:
    return {name: one.bytes for name, one in found.named.items()}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("15.9 GiB", 15.9 * GIB),
        ("15.9GiB", 15.9 * GIB),
        ("15.9 gib", 15.9 * GIB),
        ("16,3 GiB", 16.3 * GIB),
        ("15.9 G", 15.9 * GIB),
        ("16300MiB", 16300 * MIB),
        ("16,302 MiB", 16302 * MIB),
        ("16 302 MiB", 16302 * MIB),
        ("run 7 15.9 GiB", 15.9 * GIB),
        ("16'302 MiB", 16302 * MIB),
        ("16.302,5 MiB", 16302.5 * MIB),
        ("1,234.5 MiB", 1234.5 * MIB),
        ("17.1 GB", 17.1 * GB),
        ("21345 MB", 21345 * GB / 1000),
        ("17063936000", 17_063_936_000),
        ("17.063.936.000", 17_063_936_000),
        ("17_063_936_000 bytes", 17_063_936_000),
        ("1.7063936e10", 17_063_936_000),
        ("2**34", 2**34),
        ("2^34 bytes", 2**34),
        ("the peak was 15.9 GiB", 15.9 * GIB),
        ("peak=15.9GiB", 15.9 * GIB),
        ("15.9 GiB (17.1 GB)", 15.9 * GIB),
        ("１５．９ GiB", 15.9 * GIB),
        ("`15.9 GiB`", 15.9 * GIB),
    ],
)
def test_one_amount(text: str, size: float) -> None:
    found = read_peaks(text)
    assert found.amount is not None
    assert found.amount.bytes == int(size)
    assert not found.named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("16302MiB / 24564MiB", {DEVICE: 16302 * MIB}),
        ("|  0  N/A  35C  P0  62W / 300W |  16302MiB / 24564MiB |  99% |", {DEVICE: 16302 * MIB}),
        ("16302 / 24564 MiB", {DEVICE: 16302 * MIB}),
        (SMI, {DEVICE: 23714 * MIB}),
        ("torch.cuda.max_memory_allocated() 17063936000", {ALLOCATED: 17_063_936_000}),
        ("max_memory_reserved: 16.5 GiB", {RESERVED: 16.5 * GIB}),
        ("process 16302 MiB", {DEVICE: 16302 * MIB}),
        (
            "allocated 15.25 GiB, reserved 15.50 GiB, device 16.75 GiB",
            {ALLOCATED: 15.25 * GIB, RESERVED: 15.5 * GIB, DEVICE: 16.75 * GIB},
        ),
        (
            "rank 0 allocated 1.25 GiB, reserved 5.5 GiB\nrank 1 allocated 2.25 GiB, reserved 4 G",
            {ALLOCATED: 2.25 * GIB, RESERVED: 5.5 * GIB},
        ),
    ],
)
def test_what_says_itself_which_figure_it_is(text: str, named: dict[Statistic, float]) -> None:
    assert sizes(read_peaks(text)) == named


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "no_number"),
        ("lots", "no_number"),
        ("nan GiB", "no_number"),
        ("💥", "no_number"),
        ("@everyone `rm -rf`", "no_number"),
        ("0", "zero"),
        ("0.0 GiB", "zero"),
        ("0MiB / 24564MiB", "zero"),
        ("allocated 0 GiB", "zero"),
        ("1e-19 GiB", "zero"),
        ("-3 GiB", "negative"),
        ("allocated -3 GiB", "negative"),
        ("15.9", "no_unit"),
        ("rank 3", "no_unit"),
        ("1e30", "beyond_all"),
        ("10^30", "beyond_all"),
        ("1e999999999 GiB", "beyond_all"),
        ("100000000000000000000000000000 GiB", "beyond_all"),
        ("3 GiB and 5 GiB", "several"),
        ("9" * (MOST_TYPED + 1), "too_long"),
    ],
)
def test_nonsense_is_named(text: str, key: str) -> None:
    with pytest.raises(AmountError) as refused:
        read_peaks(text)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("text", "binary"), [("17.1 GB", "17.1 GiB"), ("21345 MB", "21345 MiB"), ("17,1GB", "17,1 GiB")]
)
def test_a_decimal_unit_says_what_to_type_for_the_other(text: str, binary: str) -> None:
    amount = read_peaks(text).amount
    assert amount is not None
    assert amount.is_decimal
    assert amount.binary == binary
    other = read_peaks(binary).amount
    assert other is not None
    assert not other.is_decimal
    assert other.bytes > amount.bytes


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", None),
        ("allocated", ALLOCATED),
        ("Alloc", ALLOCATED),
        ("max_memory_reserved", RESERVED),
        ("nvidia-smi", DEVICE),
        ("process", DEVICE),
        (" device ", DEVICE),
    ],
)
def test_a_figure_is_known_by_its_names(text: str, meant: Statistic | None) -> None:
    assert read_statistic(text) == meant


@pytest.mark.parametrize("text", ["foo", "💥", "all of it", "x" * 4000, "15 GiB"])
def test_another_name_is_refused(text: str) -> None:
    with pytest.raises(AmountError) as refused:
        read_statistic(text)
    assert refused.value.key == "no_kind"


@settings(deadline=None)
@given(st.text(max_size=MOST_TYPED + 10))
def test_any_text_is_read_or_refused(text: str) -> None:
    found, refused = None, ""
    try:
        found = read_peaks(text)
    except AmountError as error:
        refused = error.key
    if found is None:
        assert refused in REFUSED
    else:
        every = [*found.named.values(), *([found.amount] if found.amount else [])]
        assert every
        assert all(one.bytes > 0 for one in every)


@settings(deadline=None)
@given(st.integers(1, 200 * GIB // MIB))
def test_mebibytes_come_back(mebibytes: int) -> None:
    amount = read_peaks(f"{mebibytes} MiB").amount
    assert amount is not None
    assert amount.bytes == mebibytes * MIB
