"""Some blocks that are trained alone, and how many."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.reading import Reading
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())


def read(line: str) -> Reading:
    """The reading of `line`, which its canonical line says as well."""
    reading = READER.read(line)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)
    return reading


@pytest.mark.parametrize(("number", "blocks"), [("4", 4), ("two", 2), ("1", 1), ("12", 12)])
@pytest.mark.parametrize("unit", ["layers", "blocks", "transformer blocks", "decoder layers"])
@pytest.mark.parametrize(
    "words",
    [
        "freeze all but the last {}",
        "freezing everything except the last {}",
        "freeze everything but the top {}",
        "last {}",
        "train only the last {}",
        "full finetune of the final {}",
        "unfreeze the last {}",
        "the last {}, freeze the rest",
    ],
)
def test_the_last_blocks_alone_are_trained(words: str, unit: str, number: str, blocks: int) -> None:
    reading = read(f"train 7B {words.format(f'{number} {unit}')} bs 2")
    fields = reading.fields
    assert (fields["method"], fields["active_blocks"]) == ("freeze", blocks)
    assert not [note for note in reading.notes if "without effect" in note]


@pytest.mark.parametrize("unit", ["layers", "blocks"])
@pytest.mark.parametrize("method", ["lisa", "badam", "freeze"])
def test_blocks_beside_a_method_of_some_are_those(method: str, unit: str) -> None:
    for line in (f"train 7B {method} 4 {unit}", f"train 7B {method} with 4 {unit}, bs 2",
                 f"train 7B 4 {unit} {method}"):  # fmt: skip
        reading = read(line)
        assert (reading.fields["method"], reading.fields["active_blocks"]) == (method, 4)
        said = [note for note in reading.notes if "taken as how many are trained" in note]
        assert bool(said) == (method == "freeze")


@pytest.mark.parametrize(
    "line",
    [
        "train 7B lora 32 layers",
        "train 7B 32 layers",
        "infer 7B last 4 layers",
        "infer 7B 80 layers",
        "train 7B qlora last 4 layers",
    ],
)
def test_blocks_of_anything_else_are_left_aside(line: str) -> None:
    reading = read(line)
    assert "active_blocks" not in reading.fields
    assert "without effect" in reading.notes[0]


def test_a_number_that_was_named_stays() -> None:
    reading = read("train 7B lisa active blocks 3, 32 layers")
    assert reading.fields["active_blocks"] == 3
    assert "`32 layers`" in reading.notes[0]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("train 7B freeze the first 28 layers", "ambiguous"),
        ("train 7B freeze bottom 8 blocks", "ambiguous"),
        ("train 7B lisa 2 layers 4 blocks", "contradiction"),
        ("train 7B lisa 0 layers", "bad_number"),
    ],
)
def test_what_blocks_cannot_be(line: str, code: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == code
