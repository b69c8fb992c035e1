"""The host's memory, where it is named: is it enough?"""

import pytest

from bot.ask import Replied, open_desk
from bot.presenting.presentation import Tone

DESK = open_desk()
OFFLOADED = "train 7B full zero2 optimizer offload 4090"


def warnings(line: str) -> tuple[str, ...]:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    return found.presentation.warnings


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{OFFLOADED} 64gb ram", "64 GB of host memory are 44.0 GiB too little"),
        (f"{OFFLOADED}, 128 GB RAM", "128 GB of host memory may be enough: 108.0 GiB are needed"),
        (f"{OFFLOADED}, 256 GB of system RAM", "256 GB of host memory are enough: 108.0 GiB"),
        ("infer 70B q4_k_m ngl 20 3090, 32 GB RAM", "32 GB of host memory are enough: 30.9 GiB"),
        ("infer 70B q4_k_m ngl 20 3090, 16gb ddr5", "16 GB of host memory are 14.9 GiB too little"),
        ("train 7B qlora 3090 with 16gb ram", "16 GB of host memory are enough: 4.4 GiB"),
        (f"{OFFLOADED}, host ram 256gb", "256 GB of host memory are enough"),
        (f"{OFFLOADED} ram: 64GB", "64 GB of host memory are 44.0 GiB too little"),
        (f"{OFFLOADED} 24GB, ram=64GB", "64 GB of host memory are 44.0 GiB too little"),
        (f"{OFFLOADED} with 1TB of ram", "1024 GB of host memory are enough"),
        (f"{OFFLOADED}, 2x32gb ddr5", "64 GB of host memory are 44.0 GiB too little"),
    ],
)
def test_it_is_said(line: str, said: str) -> None:
    assert any(text.startswith(said) for text in warnings(line))


def test_what_is_judged_is_not_said_to_be_without_effect() -> None:
    assert not any("without effect" in text for text in warnings(f"{OFFLOADED} 64gb ram"))
    assert any("without effect" in text for text in warnings("infer 8B q4_k_m 4090 64gb ram"))


def test_a_size_keeps_the_word_behind_it() -> None:
    said = warnings(f"{OFFLOADED} 64gb ram 24gb vram")
    assert any(text.startswith("64 GB of host memory") for text in said)


@pytest.mark.parametrize(
    "line",
    [
        OFFLOADED,  # none is named
        "infer 70B q4_k_m ngl 20 3090, 512 GB ssd",  # a disk is no memory
        "infer 8B q4_k_m 4090 64gb ram",  # nothing lies there
        "infer 70B q4_k_m m3 max 64gb ram",  # it is the card's own
    ],
)
def test_else_it_is_not(line: str) -> None:
    assert not any("of host memory" in text for text in warnings(line))


def test_memory_of_the_host_is_judged_or_named_as_idle_and_not_both() -> None:
    desk = open_desk()
    judged = desk.ask("train 7B full zero3 offload 4x4090 64gb ram")
    idle = desk.ask("infer 7B q4_k_m on a 4090, 64gb swap")
    assert isinstance(judged, Replied)
    assert isinstance(idle, Replied)
    assert sum("64" in note for note in judged.notes) == 1
    assert "too little" in next(note for note in judged.notes if "64" in note)
    assert any("without effect" in note for note in idle.notes)


def test_a_host_that_lacks_memory_is_said_with_the_verdict() -> None:
    short, enough = (
        open_desk().ask(f"train 7B full zero3 offload 4x4090 {size}gb ram") for size in (64, 512)
    )
    assert isinstance(short, Replied)
    assert isinstance(enough, Replied)
    assert short.presentation.headline.endswith("; the host lacks 57.5 GiB of memory")
    assert short.presentation.tone is Tone.BAD
    assert "The host lacks 57.5 GiB of memory." in short.presentation.verdict
    assert "host" not in enough.presentation.headline
    assert enough.presentation.tone is Tone.GOOD
