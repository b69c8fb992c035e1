"""What others hold of a card is taken off it, and keeps some servers from starting."""

import pytest

from estimator import Answer, answer, load_catalog, parse_request
from estimator.card_total import total_bytes
from estimator.errors import Contradiction
from estimator.fit import held_back, usable_bytes
from estimator.units import GIB

CATALOG = load_catalog()
USE = CATALOG.card_use


def found(**fields: object) -> Answer:
    asked = {"task": "infer", "model": "8B", "gpus": [{"id": "rtx-3090"}]} | fields
    return answer(parse_request(asked), CATALOG)


@pytest.mark.parametrize("taken", [1, GIB, 5 * GIB])
def test_it_is_a_part_of_what_is_held_back(taken: int) -> None:
    gpu = CATALOG.gpus.find("rtx-3090")
    *others, last = held_back(gpu, USE, taken)
    assert tuple(others) == held_back(gpu, USE)
    assert (last.key, last.bytes) == ("in_use", taken)
    assert usable_bytes(gpu, USE, taken) == usable_bytes(gpu, USE) - taken
    assert last.source in CATALOG.sources.ids


def test_nothing_is_usable_of_what_is_all_in_use() -> None:
    gpu = CATALOG.gpus.find("rtx-3090")
    assert usable_bytes(gpu, USE, 100 * GIB) == 0


@pytest.mark.parametrize(
    "name", ["apple-m2-max-32gb", "strix-halo-64gb", "dgx-spark", "jetson-agx-orin-32gb"]
)
def test_shared_memory_first_gives_what_no_gpu_may_use(name: str) -> None:
    gpu = CATALOG.gpus.find(name)
    beside = gpu.memory_gb * GIB - total_bytes(gpu, USE)
    assert beside > 0
    assert usable_bytes(gpu, USE, beside) == usable_bytes(gpu, USE)
    assert usable_bytes(gpu, USE, beside + GIB) == usable_bytes(gpu, USE) - GIB


def test_the_verdict_turns_with_it() -> None:
    free, taken = found(), found(in_use_bytes=6 * GIB)
    assert [one.cards[0].verdict for one in (free, taken)] == ["fits", "tight"]
    assert free.estimate.peak.bytes == taken.estimate.peak.bytes
    classes = zip(free.cards[1:], taken.cards[1:], strict=True)
    assert all(one.usable_bytes >= other.usable_bytes for one, other in classes)


def test_the_most_that_fits_is_less() -> None:
    most = [
        one.solved.value
        for amount in (0, 4 * GIB, 10 * GIB)
        if (one := found(find="context", weights="gguf:Q4_K_M", in_use_bytes=amount)).solved
    ]
    assert most == sorted(most, reverse=True)
    assert len(set(most)) == 3


def test_more_than_all_is_refused() -> None:
    with pytest.raises(Contradiction) as caught:
        found(in_use_bytes=30 * GIB)
    assert "nothing is left" in caught.value.message
    with pytest.raises(Contradiction):
        found(in_use_bytes=24 * GIB, gpus=[{"id": "class-24gb"}])


def test_vllm_is_told_its_largest_share() -> None:
    (warning,) = [one for one in found(in_use_bytes=3 * GIB).warnings if "utilization" in one]
    share = float(warning.split("`--gpu-memory-utilization ")[1].split("`")[0])
    gpu = CATALOG.gpus.find("rtx-3090")
    total, context = total_bytes(gpu, USE), held_back(gpu, USE)[0].bytes
    assert share * total <= total - context - 3 * GIB < (share + 0.01) * total
    again = found(in_use_bytes=3 * GIB, utilization=share)
    assert not [one for one in again.warnings if "before it starts" in one]
    small = found(in_use_bytes=GIB // 8)
    assert not [one for one in small.warnings if "before it starts" in one]


def test_one_memory_for_system_and_gpu_is_said() -> None:
    for name in ("apple-m2-max-32gb", "dgx-spark", "strix-halo-64gb"):
        asked = found(gpus=[{"id": name}], weights="gguf:Q4_K_M")
        assert any("one memory for the system" in one for one in asked.warnings)
    assert not any("one memory" in one for one in found().warnings)


def test_what_a_mac_s_programs_hold_comes_off_no_other_card() -> None:
    mac = [{"id": "apple-m2-max-32gb"}]
    free, taken = (found(gpus=mac, weights="gguf:Q4_K_M", in_use_bytes=n) for n in (0, 14 * GIB))
    assert free.cards[0].usable_bytes > taken.cards[0].usable_bytes
    assert free.cards[1:] == taken.cards[1:]


def test_the_document_has_it_as_a_line() -> None:
    document = found(in_use_bytes=GIB).document()
    assert document["understood"]["in_use_bytes"] == GIB
    assert {"key": "in_use", "bytes": GIB, "basis": "measured", "source": "in-use-given"} in (
        document["cards"][0]["held_back"]
    )
