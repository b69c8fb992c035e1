"""Lines that say what others hold of a card, and what is said back."""

import pytest

from bot.ask import Refused, Replied, open_desk
from bot.reading.rooms import HOLDING
from estimator import GIB, MIB, load_catalog

DESK = open_desk()
SOURCES = load_catalog().sources.ids


def replied(line: str) -> Replied:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    return found


@pytest.mark.parametrize(
    ("words", "mebibytes"),
    [
        ("my desktop uses 1.2 GB", 1229),
        ("another process holds 9GB", 9 * 1024),
        ("comfyui is using 9GB", 9 * 1024),
        ("a jupyter kernel holding 10GB", 10 * 1024),
        ("other processes are already using about 3 GB", 3 * 1024),
        ("2GB used by chrome", 2 * 1024),
        ("500 MB for the display", 500),
        ("in use 1.5 GiB", 1536),
        ("3GB in use", 3 * 1024),
        ("4 GB is already taken", 4 * 1024),
        ("1234MiB / 24576MiB", 1234),
        ("wsl2 uses 800MB", 800),
        ("desktop uses 1GB, another process holds 2GB", 3 * 1024),
        ("in use 0GB", 0),
    ],
)
def test_amounts_are_taken_as_they_are_said(words: str, mebibytes: int) -> None:
    found = replied(f"infer 8B q4 on a 3090, {words}")
    assert (found.answer.request.in_use_bytes or 0) == mebibytes * MIB
    assert found.presentation.line.endswith(", rtx-3090")


@pytest.mark.parametrize("verb", HOLDING)
def test_whoever_holds_it_may_be_said_in_any_of_these_words(verb: str) -> None:
    found = replied(f"infer 8b q4 4060 browser {verb} 1.5gb")
    assert found.answer.request.in_use_bytes == 1536 * MIB


def test_right_behind_the_cards_name() -> None:
    found = replied("train 7b lora 3090 2GB used by chrome")
    assert found.answer.request.in_use_bytes == 2 * GIB
    assert found.presentation.line.endswith("rtx-3090")


@pytest.mark.parametrize("words", ["20% in use", "80% free", "20 % of it used"])
def test_shares_are_of_the_card(words: str) -> None:
    found = replied(f"infer 8B q4 3090, {words}")
    taken, total = found.answer.request.in_use_bytes or 0, found.answer.cards[0].total_bytes
    assert taken / total == pytest.approx(0.2, abs=0.001)
    assert any("taken as in use" in note for note in found.notes)


def test_what_is_free_is_taken_off_the_card() -> None:
    found = replied("infer 8b q4 3090, 6 GB free")
    taken, total = found.answer.request.in_use_bytes or 0, found.answer.cards[0].total_bytes
    assert 0 <= total - taken - 6 * GIB < MIB


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("infer 8b q4 3090 in use 30GB", "nothing is left"),
        ("infer 8b q4 3090 150% in use", "nothing is left"),
        ("infer 8b q4 3090 in use -1GB", "`-1`"),
        ("infer 8b q4 20% in use", "of which card"),
        ("infer 70b q4 3090 and 4090, 20% in use", "of which card"),
        ("infer 8b q4 3090 in use lots", "needs a number"),
        ("infer 8b q4, 9000MiB / 8192MiB", "nothing is left"),
    ],
)
def test_what_cannot_be_is_said(line: str, word: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert word in found.refusal.wrong
    assert found.refusal.lines


def test_a_desktop_without_an_amount_is_asked_about() -> None:
    assert any("nvidia-smi" in note for note in replied("infer 8b q4 3090 with firefox open").notes)
    notes = replied("infer 8b q4 3090 on windows 11").notes
    assert any("host's memory" in note for note in notes)
    told = replied("infer 8b q4 3090 on windows 11, the desktop uses 1GB").notes
    assert not any("nvidia-smi" in note for note in told)
    assert {"desktop-memory", "sysmem-fallback"} <= set(SOURCES)


@pytest.mark.parametrize(
    "line",
    [
        "a used 24gb 3090 for 7b q4",
        "infer 7b q4 on a used 3090",
        "24GB for my desktop, infer 7b q4",
        "infer 7b q4, framework desktop 128gb",
    ],
)
def test_a_card_is_still_a_card(line: str) -> None:
    found = replied(line)
    assert found.answer.request.in_use_bytes is None
    assert any(card.asked for card in found.answer.cards)


def test_a_mac_s_own_programs_come_off_what_is_beside() -> None:
    found = replied("infer 8b q4 m2 max 32gb in use 6GB")
    assert any("0 GiB of it comes off" in one for one in found.presentation.details)
    assert any("one memory for the system" in one for one in found.presentation.warnings)
