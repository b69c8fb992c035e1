"""An optimizer from the words for it, in any order."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.write import write_line
from estimator import Method, load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)

WORDS = {
    "adam": "adamw",
    "AdamW": "adamw",
    "8-bit adam": "adamw_8bit",
    "adam 8bit": "adamw_8bit",
    "adam8bit": "adamw_8bit",
    "adamw_bnb_8bit": "adamw_8bit",
    "8bit optimizer": "adamw_8bit",
    "4-bit adam": "adamw_4bit",
    "fp8 adam": "adamw_fp8",
    "paged": "paged_adamw",
    "paged adam": "paged_adamw",
    "paged_adamw_32bit": "paged_adamw",
    "paged adamw 8bit": "paged_adamw_8bit",
    "8-bit paged adam": "paged_adamw_8bit",
    "paged 8bit adamw": "paged_adamw_8bit",
    "fused adam": "adamw_fused",
    "adamw_torch_fused": "adamw_fused",
    "adamw_torch": "adamw_foreach",
    "fused adamw_8bit": "adamw_8bit",
    "adamw_8bit fused": "adamw_8bit",
    "paged_adamw 8bit optimizer": "paged_adamw_8bit",
    "adam foreach": "adamw_foreach",
    "adamw for loop": "adamw_loop",
    "sgd": "sgd",
    "momentum": "sgd_momentum",
    "sgd with momentum 0.9": "sgd_momentum",
    "sgd, momentum 0.9": "sgd_momentum",
    "ada factor": "adafactor",
    "lion": "lion",
    "lion 8 bit": "lion_8bit",
    "8-bit lion": "lion_8bit",
    "muon": "muon",
    "galore adamw": "galore_adamw",
    "optimizer apollo": "apollo",
    "optimizer=lomo": "lomo",
    "adam-mini": "adam_mini",
    "sophia": "sophia",
    "lamb": "lamb",
    "shampoo": "shampoo",
    "soap": "soap",
    "schedulefree": "schedule_free",
    "rms prop": "rmsprop",
    "adagrad": "adagrad",
}

REFUSED = {
    (method, packed)
    for method in ("galore", "apollo")
    for packed in ("adamw_8bit", "adamw_4bit", "lion_8bit")
}


@pytest.mark.parametrize(("words", "optimizer"), WORDS.items())
def test_natural_words(words: str, optimizer: str) -> None:
    fields = READER.read(f"train 7B {words} full").fields
    assert fields["optimizer"] == optimizer
    assert fields["method"] == "full"


def test_the_words_reach_every_optimizer_of_the_table() -> None:
    assert set(WORDS.values()) == {"adamw", *CATALOG.optimizers.ids}


@pytest.mark.parametrize("method", ["galore", "apollo", "lomo"])
def test_a_method_with_its_own_optimizer_is_said_once(method: str) -> None:
    fields = READER.read(f"train 7B {method}").fields
    assert fields["method"] == method
    assert "optimizer" not in fields


@pytest.mark.parametrize(
    "words",
    [
        "adam sgd",
        "adafactor 8bit optimizer",
        "lion paged",
        "8bit adam 4bit adam",
        "shampoo fused adamw",
        "fused adamw shampoo",
        "paged_adamw_8bit lion_8bit",
        "lion_8bit, paged adamw",
        "paged, adamw_4bit",
        "adamw_32bit, 8bit optimizer",
        "adamw_fused adamw_foreach",
    ],
)
def test_two_optimizers_cannot_both_hold(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B full {words}")
    assert caught.value.code == "contradiction"
    assert caught.value.field == "optimizer"


@pytest.mark.parametrize("words", ["apollo adamw_8bit", "adamw_8bit apollo", "galore 8bit adam"])
def test_a_method_with_its_own_optimizer_has_no_packed_adam(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B {words}")
    assert caught.value.code == "unsupported"
    assert "train 7B adamw_8bit" in caught.value.lines


def test_bits_on_both_sides_of_adam_are_anybody_s() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B lora 4bit adamw 8bit")
    assert caught.value.code == "ambiguous"


@pytest.mark.parametrize("method", list(Method))
def test_the_line_of_a_method_with_an_optimizer_reads_back(method: Method) -> None:
    fields = {"task": "train", "model": "7B", "method": str(method)}
    for optimizer in ("adamw", *CATALOG.optimizers.ids):
        line = write_line(fields | {"optimizer": optimizer})
        if (method, optimizer) in REFUSED:
            with pytest.raises(NotUnderstoodError):
                READER.read(line)
            continue
        own = {method, f"{method}_adamw"} & {optimizer}
        read = dict(READER.read(line).fields)
        assert read == fields | ({} if own else {"optimizer": optimizer})
        assert READER.read(line).line == write_line(read)


def test_a_count_of_cards_is_no_part_of_a_name() -> None:
    assert READER.read("train 7B full adam 8 gpus").fields["optimizer"] == "adamw"
    assert READER.read("train 7B full adam 8x3090").fields["optimizer"] == "adamw"


def test_an_unknown_optimizer_is_named_with_those_there_are() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B with the quantum-banana optimizer")
    assert "banana" in caught.value.message
    assert "adamw" in caught.value.message
    assert caught.value.lines
