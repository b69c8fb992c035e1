"""Machines of clouds: every name of the table, counts of them, platforms, wrong names."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)
PLATFORMS = ("colab", "kaggle")


@pytest.mark.parametrize("row", CATALOG.instances.rows, ids=CATALOG.instances.ids)
def test_every_name_is_read_as_its_cards(row: object) -> None:
    instance = CATALOG.instances.find(str(getattr(row, "id", "")))
    for name in (instance.id, *instance.aliases):
        for words in (name, name.upper()):
            reading = READER.read(f"infer 8B {words}")
            assert reading.fields["gpus"] == [{"id": instance.gpu, "count": instance.count}], name
            (note,) = reading.notes
            assert f"`{words}`" in note
            assert f"{instance.count} × {CATALOG.gpus.find(instance.gpu).name}" in note
            assert ("host memory" in note) == (instance.host_memory is not None)
            assert not READER.read(reading.line).notes


@pytest.mark.parametrize(
    ("words", "cards"),
    [
        ("2x p5.48xlarge", [("h100-sxm5-80gb", 16)]),
        ("2 x p5.48xlarge", [("h100-sxm5-80gb", 16)]),
        ("2 p5.48xlarge", [("h100-sxm5-80gb", 16)]),
        ("two p5.48xlarge nodes", [("h100-sxm5-80gb", 16)]),
        ("p5.48xlarge x2", [("h100-sxm5-80gb", 16)]),
        ("2 nodes of p5.48xlarge", [("h100-sxm5-80gb", 16)]),
        ("on 4 x a2-ultragpu-8g", [("a100-sxm4-80gb", 32)]),
        ("p4d 24xlarge", [("a100-sxm4-40gb", 8)]),
        ("on an aws g5.xlarge", [("a10g", 1)]),
        ("g5.48xlarge (8 A10G)", [("a10g", 8)]),
        ("g5.12xlarge.", [("a10g", 4)]),
        ("kaggle t4 x2", [("t4", 2)]),
        ("on colab", [("t4", 1)]),
        ("google colab free tier", [("t4", 1)]),
        ("on colab with an L4", [("l4", 1)]),
        ("on colab, a100 80gb", [("a100-sxm4-80gb", 1)]),
        ("colab a100 80gb", [("a100-sxm4-80gb", 1)]),
        ("colab a100 40gb", [("a100-sxm4-40gb", 1)]),
    ],
)
def test_counts_and_platforms(words: str, cards: list[tuple[str, int]]) -> None:
    gpus = READER.read(f"train 7B lora {words}").fields["gpus"]
    assert [(card["id"], card["count"]) for card in gpus] == cards


@pytest.mark.parametrize(
    ("name", "closest"),
    [
        ("g5.13xlarge", "g5.12xlarge"),
        ("p4d.24xlarg", "p4d.24xlarge"),
        ("Standard_ND96asr_v9", "Standard_ND96asr_v4"),
        ("a2-ultragpu-3g", "a2-ultragpu-1g"),
        ("BM.GPU.H100.9", "BM.GPU.H100.8"),
        ("gpu_3x_a6000", "gpu_1x_a6000"),
    ],
)
def test_a_wrong_name_is_refused_with_the_closest(name: str, closest: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B lora {name}")
    assert caught.value.code == "unknown_name"
    assert f"`{name.casefold()}`" in caught.value.message.casefold()
    assert f"`{closest}`" in caught.value.message
    assert caught.value.lines[0].startswith("train 7B lora ")
    assert READER.read(caught.value.lines[0]).fields["gpus"]


@pytest.mark.parametrize(
    "line",
    [
        "train t5-large lora 3090",
        "infer deepseek v3 8xH200",
        "train 7B lora bs 4 seq 2048 3090",
        "infer 70B q4 2x A2",
        "infer 7B p40 x4",
    ],
)
def test_what_only_resembles_an_instance_is_none(line: str) -> None:
    reading = READER.read(line)
    assert reading.fields["gpus"]
    assert not any("×" in note for note in reading.notes)
