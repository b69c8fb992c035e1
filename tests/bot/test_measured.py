"""A measured peak beside its estimate: the verdict, what is kept, the list, what is refused."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Desk, Replied, open_desk
from bot.measuring.amounts import Amount
from bot.measuring.comparing import compare
from bot.measuring.measuring import Recorder, Said, measured
from bot.measuring.peaks import Peaks
from bot.measuring.requests import MeasuredRequest, Wish, read_request
from bot.presenting.measured import comparison_sheet, not_kept, verdict
from bot.presenting.presentation import Refusal, Tone
from bot.presenting.sheet import Sheet
from bot.store.address import in_file
from bot.store.database import Database
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from bot.surface.limits import MOST_EMBED, MOST_FIELD
from bot.surface.sheet import sheet_embed
from estimator import Statistic, figure_of, statistics_of
from tests.store.opened import opened

DESK = open_desk()
LINES = ("7B adam lora", "7B full 8xh100 fsdp", "8B vllm 4090", "8B q4_k_m 3090", "8B mlx")
ALICE = Recorder(Owner(OwnerKind.GUILD, 10), 1)
BOB = replace(ALICE, person_id=2)
ELSEWHERE = Recorder(Owner(OwnerKind.GUILD, 11), 1)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk that keeps things in a file of its own."""
    store = asyncio.run(opened(Store(Database(in_file(tmp_path / "kept.sqlite3")))))
    yield open_desk(store=store)
    asyncio.run(store.database.close())


def said(desk: Desk, text: str, peak: str | None = None, kind: str = "",
         by: Recorder | None = ALICE) -> Said:  # fmt: skip
    return asyncio.run(measured(desk, text, peak, kind, by))


def sheet(of: Said) -> Sheet:
    assert isinstance(of, Sheet)
    return of


def words(of: Said) -> str:
    """All of a sheet."""
    shown = sheet(of)
    parts = [
        part for one in shown.sections for part in (one.heading, one.text, *one.rows, one.code)
    ]
    return "\n".join([shown.headline, shown.title, *shown.details, *parts, shown.line])


def replied(line: str) -> Replied:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    return found


def is_answered(line: str) -> bool:
    """Whether what a refusal offers is answered, typed as it stands."""
    if line.startswith("measured "):
        return isinstance(said(DESK, line.removeprefix("measured "), by=None), Sheet)
    return isinstance(DESK.ask(line), Replied)


@pytest.mark.parametrize("line", LINES)
def test_what_is_measured_as_estimated_is_no_difference(line: str) -> None:
    found = replied(line).answer
    for one in statistics_of(found.setup):
        estimate = figure_of(found, one, DESK.catalog).bytes
        amount = Amount(estimate, "", "")
        (compared,) = compare(found, line, Peaks({one: amount}), None, DESK.catalog).compared
        assert compared.ratio == 1
        assert verdict(compared, DESK.locale) == "As estimated, inside the range"


@settings(deadline=None)
@given(st.floats(0.05, 3, allow_nan=False))
def test_the_verdict_and_the_range_agree(ratio: float) -> None:
    found = ANSWERED.answer
    figure = figure_of(found, Statistic.ALLOCATED, DESK.catalog)
    amount = Amount(round(figure.bytes * ratio), "", "")
    comparison = compare(found, "7B lora", Peaks({}, amount), None, DESK.catalog)
    shown = comparison_sheet(comparison, "", None, DESK.locale)
    inside = figure.low_bytes <= amount.bytes <= figure.high_bytes
    assert ("inside the range" in shown.headline) is inside
    assert (shown.tone is Tone.GOOD) is inside
    assert comparison.record(0).inside is inside


ANSWERED = replied("7B lora")


@pytest.mark.parametrize(
    ("peak", "headline"),
    [
        ("15.9 GiB", "3.8% more than estimated, inside the range"),
        ("15.0 GiB", "2.1% less than estimated, inside the range"),
        ("25 GiB", "63.2% more than estimated, above the range"),
        ("60 GiB", "3.9 times what was estimated, far above the range"),
        ("3 GiB", "80.4% less than estimated, below the range"),
    ],
)
def test_the_verdict_comes_first(peak: str, headline: str) -> None:
    shown = sheet(said(DESK, "7B adam lora", peak, by=None))
    assert shown.headline == headline
    assert shown.line == "train 7B lora adamw"


def test_what_was_taken_for_granted_is_said() -> None:
    text = words(said(DESK, "7B adam lora", "17.1 GB", by=None))
    assert "`17.1 GB` is taken as the decimal unit that it says, 15.93 GiB" in text
    assert "type `17.1 GiB`" in text
    assert "It is taken as `allocated`" in text
    assert "far off" not in text
    told = words(said(DESK, "7B adam lora", "15.9 GiB", "device", by=None))
    assert "It is taken as" not in told


def test_a_paste_wins_over_the_kind_and_says_so() -> None:
    text = words(said(DESK, "7B adam lora", "16302MiB / 24564MiB", "allocated", by=None))
    assert (
        "What you pasted says itself that it is `device`, so it is not taken as `allocated`" in text
    )


@pytest.mark.parametrize("peak", ["60 GiB", "3 GiB"])
def test_far_off_is_asked_back(peak: str) -> None:
    assert "Does the question say all that ran?" in words(said(DESK, "7B lora", peak, by=None))


def test_all_three_figures_are_compared_and_one_is_kept(desk: Desk) -> None:
    pasted = "allocated 15.21 GiB, reserved 15.90 GiB, device 16.71 GiB"
    text = words(said(desk, "7B adam lora", pasted))
    assert "allocated  15.31  15.21  -0.7%\nreserved   15.73  15.90  +1.1%\n" in text
    assert "Of these, `allocated` is kept." in text
    again = words(said(desk, "7B adam lora", pasted, "reserved"))
    assert "Of these, `reserved` is kept." in again
    assert len(sheet(said(desk, "list")).details) == 2


@pytest.mark.parametrize("line", LINES)
def test_what_to_measure_goes_into_discords_limits(line: str) -> None:
    shown = sheet(said(DESK, line))
    embed = sheet_embed(shown)
    assert shown.asks
    assert len(embed) <= MOST_EMBED
    assert all(len(field.value or "") <= MOST_FIELD for field in embed.fields)
    assert len(embed.fields) == len(shown.sections) + 1
    expected = shown.sections[0].rows
    assert max(map(len, expected)) <= 30
    assert "Rent a short run of an hour first" in words(shown)
    assert shown.headline.startswith("Estimated: ")


def test_a_line_as_long_as_there_is_goes_in_as_well() -> None:
    shown = sheet(said(DESK, "7B lora", "15 GiB", by=None))
    long = replace(shown, line="x" * 5000, details=("y" * 3000, "z" * 3000), title="t" * 400)
    embed = sheet_embed(long)
    assert len(embed) <= MOST_EMBED
    assert (embed.fields[-1].value or "").startswith("`/vram xxx")


@pytest.mark.parametrize(
    ("line", "peak", "kind", "sentence"),
    [
        ("7B lora", "lots", "", "I find no amount of memory in that."),
        ("7B lora", "", "", "I find no amount of memory in that."),
        ("7B lora", "0", "", "`0` is no peak"),
        ("7B lora", "-3 GiB", "", "`-3 GiB` is less than nothing"),
        ("7B lora", "15.9", "", "`15.9` of what?"),
        ("7B lora", "1e30", "", "more than any card has"),
        ("7B lora", "1000 GiB", "", "more than any card has"),
        ("7B lora, rtx-4090", "24.5 GiB", "", "more than NVIDIA GeForce RTX 4090 has"),
        ("7B lora zero3 4x4090", "40 GiB", "", "If it is the sum of all"),
        ("7B lora on 24gb", "40 GiB", "", "is more than 24 GB has"),
        ("7B lora", "3 GiB 9 GiB", "", "several amounts"),
        ("7B lora", "15 GiB", "foo", "`foo` is none of the figures"),
        ("7B lora", "allocated 9 GiB reserved 8 GiB", "", "cannot both be"),
        ("8B q4_k_m 3090", "5.9 GiB", "allocated", "llama.cpp has no figure named `allocated`"),
        ("8B vllm", "15 GiB", "", "vLLM takes a share of the card"),
        ("8B vllm", None, "", "vLLM takes a share of the card"),
        ("7B lora vs qlora", "15 GiB", "", "A peak belongs to one run"),
        ("fit 4090", "15 GiB", "", "A peak belongs to one run"),
        ("what is GQA?", "15 GiB", "", "A peak belongs to one run"),
        ("frobnicate", "15 GiB", "", "I do not know `frobnicate`"),
        ("peak 15.9 GiB", None, "", "What ran?"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_type(
    desk: Desk, line: str, peak: str | None, kind: str, sentence: str
) -> None:
    refused = said(desk, line, peak, kind)
    assert isinstance(refused, Refusal)
    assert sentence in refused.wrong
    assert refused.lines
    assert all(map(is_answered, refused.lines))
    assert sheet(said(desk, "list")).headline == "Measured so far: 0"


def test_records_are_counted_listed_and_taken_back(desk: Desk) -> None:
    first = words(said(desk, "7B adam lora", "15.9 GiB"))
    assert "This is the first that is kept here." in first
    second = words(said(desk, "8B q4_k_m 3090", "9 GiB", by=BOB))
    assert "2 are kept here." in second
    assert "1 lie inside its range" in second
    assert "train: within 3.8% · infer: within 50." in second
    assert len(sheet(said(desk, "list", by=BOB)).details) == 2
    assert sheet(said(desk, "list", by=ELSEWHERE)).headline == "Measured so far: 0"
    assert said(desk, "forget last", by=ELSEWHERE) == (
        "You have recorded nothing here that I could remove."
    )
    assert said(desk, "forget last") == "Removed: `train 7B lora adamw`, 15.90 GiB allocated."
    assert len(sheet(said(desk, "list")).details) == 1
    assert "nothing here" in str(said(desk, "forget last"))


def test_the_list_shows_the_newest_ten(desk: Desk) -> None:
    for gib in range(12, 24):
        said(desk, "7B adam lora", f"{gib} GiB")
    shown = sheet(said(desk, "list"))
    assert shown.headline == "Measured: the newest 10 of 12"
    assert len(shown.details) == 10
    assert "23.00 GiB measured" in shown.details[0]
    assert "<t:" in shown.details[0]


def test_without_a_store_the_comparison_is_answered_all_the_same() -> None:
    text = words(said(DESK, "7B adam lora", "15.9 GiB"))
    assert text.startswith("3.8% more than estimated")
    assert "**It is not kept.** Who runs me has it switched off" in text
    assert "cannot be looked up" in str(said(DESK, "list"))
    assert "could not take it back" in str(said(DESK, "forget last"))


def test_a_store_that_is_gone_keeps_no_comparison_from_being_answered(tmp_path: Path) -> None:
    store = Store(Database(in_file(tmp_path / "nowhere" / "kept.sqlite3")))
    text = words(said(open_desk(store=store), "7B adam lora", "15.9 GiB"))
    asyncio.run(store.database.close())
    assert text.startswith("3.8% more than estimated")
    assert "**It is not kept.** Where things are kept cannot be reached" in text


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("list", MeasuredRequest(Wish.LIST)),
        (" List. ", MeasuredRequest(Wish.LIST)),
        ("forget last", MeasuredRequest(Wish.FORGET)),
        ("7B lora", MeasuredRequest(Wish.COMPARE, "7B lora")),
        ("7B lora peak 15.9 GiB", MeasuredRequest(Wish.COMPARE, "7B lora", "15.9 GiB")),
        ("7B lora, peak: 16300MiB", MeasuredRequest(Wish.COMPARE, "7B lora", "16300MiB")),
        (
            "7B lora measured allocated 15 GiB, reserved 16 GiB",
            MeasuredRequest(Wish.COMPARE, "7B lora", "allocated 15 GiB, reserved 16 GiB"),
        ),
        ("7B lora peak 15.9", MeasuredRequest(Wish.COMPARE, "7B lora", "15.9")),
        ("7B lora peak memory, 4090", MeasuredRequest(Wish.COMPARE, "7B lora peak memory, 4090")),
        ("7B lora peak on 2x 4090", MeasuredRequest(Wish.COMPARE, "7B lora peak on 2x 4090")),
    ],
)
def test_what_is_typed_is_taken_apart(text: str, request_: MeasuredRequest) -> None:
    assert read_request(text, DESK.locale) == request_


def test_every_fault_of_a_store_has_a_sentence() -> None:
    from bot.store import faults  # noqa: PLC0415

    for one in faults.StoreFault.__subclasses__():
        text = not_kept(one.key, DESK.locale)
        assert text.startswith("**It ")
        assert "`/vram team`" not in text
