"""What is said of the disk: one sentence of a run that trains, all of it where it is asked."""

import pytest

from bot.ask import Replied, Weighed, open_desk

DESK = open_desk()


def details(line: str) -> list[str]:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    return list(found.presentation.details)


def test_training_says_it_in_one_sentence() -> None:
    said = [one for one in details("train 7B full") if "disk" in one]
    (sentence,) = said
    assert sentence.startswith("On disk: 14.5 GB to download; a checkpoint to go on from is 101.5")
    assert sentence.endswith("14.5 GB of it the weights.")
    assert not [one for one in details("infer 8B") if "disk" in one]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train 7B lora how big is the adapter", "0.2 GB of it the adapter"),
        ("train 7B full checkpoint size", "unless `save_total_limit`"),
        ("train 7B full how much disk, save total limit 2", "2 checkpoints kept: 304.4 GB"),
        ("train 7B lora disk usage 1B tokens", "The data set in tokens: 5.0 GB"),
        ("train 7B lora how much storage for 20k samples", "at most 0.2 GB"),
        ("infer 8B q4_k_m file size", "On disk: 4.9 GB to download."),
        ("infer 8B how much disk space", "published in 16 bits"),
        ("train 7B lomo disk size", "all of it the weights"),
    ],
)
def test_what_is_asked_is_said(line: str, words: str) -> None:
    assert any(words in one for one in details(line))


@pytest.mark.parametrize(
    "line",
    [
        "train 7B full disk size",
        "train 7B lora disk size save total limit 3 dataset tokens 1000",
        "train 7B lora disk size dataset samples 50",
        "infer 8B Q4_K_M disk size",
    ],
)
def test_the_line_asks_again_for_the_same(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    again = DESK.ask(found.presentation.line)
    assert isinstance(again, Replied)
    assert again.answer.request == found.answer.request


@pytest.mark.parametrize("words", ["disk", "disk space", "storage", "how much disk space"])
def test_the_disk_is_asked_about_in_few_words(words: str) -> None:
    found = DESK.ask(f"infer 70b q4_k_m {words}")
    assert isinstance(found, Replied)
    assert found.answer.request.disk


def test_a_data_set_is_left_aside_where_the_disk_is_not_asked_about() -> None:
    found = DESK.ask("train 7B lora 1B tokens")
    assert isinstance(found, Replied)
    assert any("without effect" in note for note in found.notes)
    assert "dataset" not in found.presentation.line


def test_the_document_has_the_lines() -> None:
    found = DESK.ask("train 7B lora")
    assert isinstance(found, Replied)
    keys = [line["key"] for line in found.document()["storage"]]
    assert keys == ["download", "checkpoint_adapter", "checkpoint_optimizer"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("compare checkpoint size lora vs full 7B", "`full` 101.5 GB a checkpoint"),
        ("8B q4_k_m vs q8_0 file size", "`Q4_K_M` 4.9 GB to download"),
    ],
)
def test_sides_are_compared_on_disk_too(line: str, words: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    assert any(words in one for one in found.comparison.details)
