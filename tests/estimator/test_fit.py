"""Cards: what each leaves usable, counted by hand, and verdicts at their boundaries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import (
    Basis,
    Estimate,
    Gpu,
    Line,
    Moment,
    MomentName,
    answer,
    load_catalog,
    parse_request,
)
from estimator.breakdown import Parameters
from estimator.card_total import total_bytes
from estimator.document import card_document
from estimator.fit import Verdict, fit, usable_bytes, verdict
from tests.estimator.questions import FIXED, REQUESTS, Document

CATALOG = load_catalog()
USE = CATALOG.card_use
MIB = 2**20
GIB = 2**30
ORDER = [Verdict.NO, Verdict.TIGHT, Verdict.FITS]


def needing(low: int, middle: int, high: int) -> Estimate:
    """An estimate of one line, as large as said."""
    line = Line("weights", middle, "b", {"b": middle}, "defaults", Basis.COUNTED)
    return Estimate(
        moments=(Moment(MomentName.LOAD, (line,)),),
        resting=None,
        parameters=Parameters(1, 1, 0),
        low_bytes=low,
        high_bytes=high,
    )


@pytest.mark.parametrize(
    ("card", "usable"),
    [
        # PyTorch sees 23.69 GiB = 25,436,943,811 bytes; less 501 MiB of context (the largest
        # measured on such cards) and 256 MiB of margin = 757 MiB = 793,772,032
        ("rtx-3090", 25_436_943_811 - 793_772_032),
        # 22.03 GiB = 23,654,532,383; its context was measured: 226 + 256 = 482 MiB
        ("l4", 23_654_532_383 - 482 * MIB),
        # 79.25 GiB = 81,152 MiB; less 757 MiB
        ("a100-sxm4-80gb", 80_395 * MIB),
        # AMD's driver keeps nothing back: 191.98 GiB = 206,136,955,372; less 757 MiB
        ("mi300x", 206_136_955_372 - 757 * MIB),
        # PyTorch's total is not known: the driver's 23,028 MiB, less the gap of a small card,
        # 500 MiB, less 757 MiB
        ("a10g", (23_028 - 500 - 757) * MIB),
    ],
)
def test_usable_by_hand(card: str, usable: int) -> None:
    assert usable_bytes(CATALOG.gpus.find(card), USE) == usable


def test_a_gap_is_assumed_by_size_and_maker() -> None:
    for gpu in CATALOG.gpus.rows:
        if gpu.torch_total_gib is None and gpu.reported_mib is not None:
            gap = 800 if gpu.memory_gb >= 48 else 500
            if gpu.vendor != "nvidia":
                gap = {"intel": 1414, "huawei": 3104}.get(gpu.vendor, 0)
            assert total_bytes(gpu, USE) == (gpu.reported_mib - gap) * MIB, gpu.id


@pytest.mark.parametrize(
    ("card", "total_mib"),
    [
        ("rtx-2080", int(8192 * 0.994) - 500),  # of the box NVIDIA's share, less the small gap
        ("h800-pcie-80gb", int(81920 * 0.994) - 800),  # and the large one
        ("m40-24gb", int(24576 * (0.994 * 0.9375)) - 500),  # with ECC on
        ("rx-7600", int(8192 * 0.987)),  # AMD's driver keeps nothing
        ("arc-b580", int(12288 * 0.944)),
        ("tpu-v6e", int(32768 * 0.96)),
        ("strix-halo-64gb", int(65536 * 0.488)),  # what Linux lends of one memory
        ("apple-m3-ultra-256gb", 256 * 1024 * 3 // 4),
        ("jetson-orin-nx-16gb", int(16384 * 0.93)),
        ("h200-1g.18gb", int(18 * 1024 * 0.95) - 500),  # a slice's name is rounded up
    ],
)
def test_a_total_that_was_not_seen_follows_from_the_box(card: str, total_mib: int) -> None:
    gpu = CATALOG.gpus.find(card)
    assert not gpu.has_total
    assert total_bytes(gpu, USE) == total_mib * MIB


def test_a_class_that_few_have_is_judged_where_it_is_asked_for() -> None:
    asked = parse_request({"task": "infer", "model": "7B", "gpus": [{"id": "64gb"}]})
    first, *others = answer(asked, CATALOG).cards
    assert (first.id, first.asked) == ("class-64gb", True)
    assert not {"class-4gb", "class-72gb"} & {card.id for card in others}


@pytest.mark.parametrize("gpu", CATALOG.gpus.rows, ids=CATALOG.gpus.ids)
def test_every_card_leaves_most_and_not_all(gpu: Gpu) -> None:
    least = (
        0 if gpu.unified else 0.75 if gpu.memory_gb > 5 else 0.65
    )  # how much of unified memory a program gets varies
    assert least * gpu.memory_gb * GIB < usable_bytes(gpu, USE) < gpu.memory_gb * GIB


@pytest.mark.parametrize(
    ("usable", "expected"),
    [
        (21, Verdict.FITS),
        (20, Verdict.FITS),  # the high end goes in to the byte
        (19, Verdict.TIGHT),
        (10, Verdict.TIGHT),  # the low end does
        (9, Verdict.NO),
    ],
)
def test_verdicts_at_their_boundaries(usable: int, expected: Verdict) -> None:
    assert verdict(10, 20, usable) is expected


def test_boundaries_on_a_card() -> None:
    room = usable_bytes(CATALOG.gpus.find("rtx-3090"), USE)
    asked = parse_request({"task": "infer", "model": "7B", "gpus": [{"id": "3090"}]})
    cards = answer(asked, CATALOG).setup.cards
    for low, high, expected in (
        (room - 2, room, Verdict.FITS),
        (room, room + 1, Verdict.TIGHT),
        (room + 1, room + 2, Verdict.NO),
    ):
        card = fit(needing(low, high, high), cards, CATALOG)[0]
        assert (card.id, card.asked, card.verdict) == ("rtx-3090", True, expected)
        assert card.needed_bytes == high
        assert card.gap_bytes == high - room


@pytest.mark.parametrize("amount", [GIB, 22 * GIB, 46 * GIB, 1000 * GIB])
def test_a_class_is_judged_by_its_smallest_member(amount: int) -> None:
    fits = {card.id: card for card in fit(needing(amount, amount, amount), (), CATALOG)}
    listed = [row for row in CATALOG.classes.rows if row.listed]
    assert set(fits) == {row.id for row in listed}
    for row in listed:
        rooms = [usable_bytes(gpu, USE) for gpu in CATALOG.class_members(row)]
        assert fits[row.id].usable_bytes == min(rooms)
        assert fits[row.id].verdict is verdict(amount, amount, min(rooms))


def test_members_that_differ_are_named() -> None:
    # 22 GiB = 22,528 MiB: the 3090 leaves 23,501 MiB, the L4 22,077, the A10G 21,771
    amount = 22 * GIB
    card = next(c for c in fit(needing(amount, amount, amount), (), CATALOG) if "24" in c.id)
    assert card.verdict is Verdict.NO
    assert card.members["NVIDIA GeForce RTX 3090"].verdict is Verdict.FITS
    assert card.members["NVIDIA L4"].verdict is Verdict.NO
    assert card.members["NVIDIA A10G"].verdict is Verdict.NO


def test_members_that_agree_are_not_written_out() -> None:
    for amount in (GIB, 10_000 * GIB):
        cards = fit(needing(amount, amount, amount), (), CATALOG)
        assert all(card.members and not card_document(card)["members"] for card in cards)
    amount = 22 * GIB
    cards = fit(needing(amount, amount, amount), (), CATALOG)
    assert any(card_document(card)["members"] for card in cards)


def test_cards_asked_for_come_first_and_keep_their_count() -> None:
    gpus = [{"id": "h100", "count": 2}, {"id": "24gb", "count": 4}]
    asked: Document = {"task": "train", "model": "7B", "strategy": "zero3", "gpus": gpus}
    cards = answer(parse_request(asked), CATALOG).cards
    first, second, *classes = cards
    assert [(card.id, card.count) for card in (first, second)] == [
        ("h100-sxm5-80gb", 2),
        ("class-24gb", 4),
    ]
    assert {card.count for card in classes} == {6}
    assert "class-24gb" not in {card.id for card in classes}
    assert [card.asked for card in cards] == [True, True, *[False] * len(classes)]


@pytest.mark.parametrize("split", [{"task": "train", "strategy": "fsdp"}, {"task": "infer"}])
def test_classes_are_judged_for_as_many_cards_as_share_the_work(split: Document) -> None:
    cards = answer(parse_request(split | {"model": "70B", "world": 4}), CATALOG).cards
    assert cards
    assert {card.count for card in cards} == {4}


@given(request=REQUESTS)
@FIXED
def test_a_larger_card_never_has_a_worse_verdict(request: Document) -> None:
    cards = answer(parse_request(request), CATALOG).cards
    by_room = sorted(cards, key=lambda card: card.usable_bytes)
    places = [ORDER.index(card.verdict) for card in by_room]
    assert places == sorted(places)


@given(low=st.integers(0, 100), more=st.integers(0, 50), room=st.integers(0, 200))
@FIXED
def test_verdicts_as_they_are_defined(low: int, more: int, room: int) -> None:
    found = verdict(low, low + more, room)
    assert (found is Verdict.FITS) == (low + more <= room)
    assert (found is Verdict.NO) == (low > room)
