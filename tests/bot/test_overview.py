"""Tables as they are shown: the most first, columns for a phone, within Discord's limits."""

import re
from io import StringIO
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.ask import Tabled, open_desk
from bot.presenting.presentation import Chart, Entry, Overview, Tone
from bot.surface.embed import overview_embed
from bot.surface.limits import MOST_EMBED, MOST_FIELD, MOST_TITLE
from bot.surface.terminal import show_overview
from estimator import Verdict

DESK = open_desk()
PHONE = 36  # columns of a code block
CODE = re.compile(r"```\n(.*?)\n```", re.DOTALL)
QUESTIONS = (
    "fit 4090",
    "fit 8x h100",
    "fit 4gb",
    "fit llama 3.1 8b on a 3060",
    "fit deepseek v3 8x h200",
    "fit 405B h100",
    "which optimizer for full 7B on an A100 80GB",
    "what can I run on 12GB or 16GB with vllm",
    "what can I qlora on 24GB",
    "fit exllamav2 3090",
    "fit infer 8B ctx 4096 users 2 16GB",
    "fit 2x 3090, 4090 train",
    "fit infer 24GB best quant",
    "fit 8B prompt tuning 24GB",
    "fit train from scratch h100",
)


def shown(line: str) -> Tabled:
    found = DESK.ask(line)
    assert isinstance(found, Tabled)
    return found


@pytest.mark.parametrize("line", QUESTIONS)
def test_a_chart_is_read_on_a_phone(line: str) -> None:
    embed = overview_embed(shown(line).overview)
    blocks = [block for field in embed.fields for block in CODE.findall(field.value or "")]
    assert len(blocks) == len(shown(line).tables)
    for block in blocks:
        assert max(map(len, block.splitlines())) <= PHONE
        assert "…" not in block
    assert len(embed) <= MOST_EMBED
    assert "…" not in (embed.title or "")


@pytest.mark.parametrize("line", QUESTIONS)
def test_cells_say_what_the_table_says(line: str) -> None:
    found = shown(line)
    for table, chart in zip(found.tables, found.overview.charts, strict=True):
        for cells, row in zip(table.cells, chart.rows, strict=True):
            for cell, text in zip(cells, row[1:], strict=True):
                if cell.verdict is None:
                    assert text == "–"
                elif cell.solved is None:
                    words = {Verdict.FITS: "yes", Verdict.TIGHT: "tight", Verdict.NO: "no"}
                    assert text == words[cell.verdict]
                elif isinstance(cell.solved.value, str):
                    assert text in (cell.solved.value, cell.solved.value.removeprefix("gguf:"))
                else:
                    least = cell.solved.value
                    number = int(text.removesuffix("k").replace(",", ""))
                    assert number in (least, least // 1024)
                    assert number * (1024 if text.endswith("k") else 1) <= least


@pytest.mark.parametrize(
    ("line", "headline", "tone"),
    [
        ("fit train 4090", r"RTX 4090 trains up to \S+ \(QLoRA\), \S+ \(LoRA\), ", Tone.GOOD),
        ("fit infer 2x 3090", r"2× RTX 3090 run up to \S+ \(Q4_K_M\), ", Tone.GOOD),
        ("fit 4090", r"RTX 4090 trains up to .*, and runs up to ", Tone.GOOD),
        ("fit train 4gb", r"Nothing of this can be trained on 4 GB: not even 0.5B \(QLoRA\)",
         Tone.BAD),
        ("fit train 8B 4090", r"RTX 4090 trains 8B by LoRA, QLoRA \(not: full\)", Tone.GOOD),
        ("fit infer 8B 4090", r"RTX 4090 runs 8B in bf16, the largest of these formats", Tone.GOOD),
        ("fit infer llama 3.1 8b 3060", r"\S+ \S+ 12 GB runs \S+ in Q8_0, the largest ", Tone.GOOD),
        ("fit 70B q4_k_m 2x3090 ctx 8k", r"70B \(Q4_K_M\) is tight on 2× RTX 3090", Tone.CLOSE),
        ("fit train llama 3.1 8b on a 3060", r".* only with less", Tone.CLOSE),
        ("fit infer 24GB best quant", r"24 GB runs up to \S+ \(I?Q\d_", Tone.GOOD),
        ("fit 405B h100", r"Nothing of this can .*\. Nothing of this runs on H100", Tone.BAD),
    ],
)  # fmt: skip
def test_the_most_that_fits_is_the_headline(line: str, headline: str, tone: Tone) -> None:
    overview = shown(line).overview
    assert re.match(headline, overview.headline)
    assert overview.tone is tone


def test_many_cards_are_said_in_brief() -> None:
    headline = shown("fit 3090 or 4090 or 5090").overview.headline
    assert headline.startswith("The most that fits: RTX 3090: 14B (QLoRA), 32B (Q4_K_M); ")
    assert len(headline) < MOST_TITLE
    nothing = shown("fit 405b 3060 or 1650 or h100").overview.headline
    assert nothing.endswith("H100 SXM5 80 GB: nothing")


def test_several_cards_are_said_to_share() -> None:
    overview = shown("fit train 2x 3090").overview
    assert any("FSDP" in detail for detail in overview.details)
    assert "on each" in overview.charts[0].heading
    assert not shown("fit train 4090").overview.details
    assert not any("FSDP" in one for one in shown("fit train zero3 2x 3090").overview.details)


def test_what_was_said_is_said_to_hold_for_all() -> None:
    overview = shown("fit qlora seq 512 r=64 3090").overview
    assert overview.details == ("All with `qlora r=64 seq 512`.",)


def test_a_length_is_in_its_heading() -> None:
    assert "of 512 tokens" in shown("fit train 3090 seq 512").overview.charts[0].heading
    assert "batch 4" in shown("fit train 3090 bs 4").overview.charts[0].heading
    assert "of 4,096 tokens each" in shown("fit infer 3090 ctx 4k").overview.charts[0].heading
    assert "for 4 users" in shown("fit infer 3090 4 users").overview.charts[0].heading
    assert "does it fit" in shown("fit train 3090 bs 4 seq 512").overview.charts[0].heading


@pytest.mark.parametrize("width", [30, 60, 100])
def test_a_terminal_shows_every_row(width: int) -> None:
    console = Console(width=width, record=True, file=StringIO())
    found = shown("fit 4090")
    show_overview(found.overview, console)
    text = console.export_text()
    for chart in found.overview.charts:
        assert all(re.search(rf"^\s+{row[0]}\s", text, re.MULTILINE) for row in chart.rows)
    assert found.overview.lines[0] in text


texts = st.text(st.sampled_from(printable + "`*_~|<>@×…\u202e🦙"), max_size=1500)
words = st.text(st.sampled_from("abc DEF-_123`"), min_size=1, max_size=80)
charts = st.integers(1, 4).flatmap(
    lambda columns: st.builds(
        Chart,
        heading=words,
        columns=st.lists(words, min_size=columns, max_size=columns).map(tuple),
        rows=st.lists(
            st.lists(words, min_size=columns + 1, max_size=columns + 1).map(tuple),
            min_size=1,
            max_size=20,
        ).map(tuple),
        note=st.text(st.sampled_from("abc ;"), max_size=300),
    )
)


@given(
    st.builds(
        Overview,
        tone=st.sampled_from(Tone),
        title=texts,
        headline=st.text(min_size=1, max_size=900),
        details=st.lists(texts, max_size=8).map(tuple),
        charts=st.lists(charts, min_size=1, max_size=4).map(tuple),
        assumed_heading=words,
        assumed=st.lists(st.builds(Entry, words, texts, texts), max_size=30).map(tuple),
        warnings_heading=words,
        warnings=st.lists(texts, max_size=20).map(tuple),
        lines_heading=words,
        lines=st.lists(words, min_size=1, max_size=8).map(tuple),
    )
)
def test_any_overview_is_within_the_limits(overview: Overview) -> None:
    embed = overview_embed(overview)
    assert len(embed) <= MOST_EMBED
    assert len(embed.title or "") <= MOST_TITLE
    assert len(embed.fields) <= 25
    assert all(len(field.value or "") <= MOST_FIELD for field in embed.fields)
