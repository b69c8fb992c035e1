"""An answer as an embed: the verdict first, nothing lost, always within Discord's limits."""

import re
from dataclasses import replace
from string import printable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ask import Replied, open_desk
from bot.presenting.presentation import CardRow, Entry, Presentation, Row, Tone
from bot.surface.embed import COLOURS, COLUMNS, answer_embed

DESK = open_desk()
QUESTIONS = (
    "train 7B adam lora",
    "train 70B full zero3 64xH100",
    "infer 70b q4_k_m 32k 4 users on 2x4090",
    "train mixtral qlora fsdp 4x24gb",
    "infer 8B awq vllm 16 users ctx 8k kv fp8 on a 3090",
    "train gpt2 full fp32 no ckpt bs 8 seq 1024 adafactor",
    "please, how much vram do i need to train a 7B lora with frobnicate and zorkmid on a 3090?",
    "train 7B lora on 3090, 4090, l4, a6000, l40s, a100 80gb, h100, h200",
)
LABELS = sorted(DESK.locale.reply.line_names.values())
LARGEST_GIB = 2**20  # on one card; beyond it there is no answer
CODE = re.compile(r"```\n(.*?)\n```", re.DOTALL)


def as_tuple(found: list[Any]) -> tuple[Any, ...]:
    return tuple(found)


texts = st.text(st.sampled_from(printable + "`*_~|<>@×…\u202e🦙"), max_size=1500)
words = st.text(st.sampled_from("abc DEF-_123`"), min_size=1, max_size=80)
rows = st.builds(
    Row, label=words, amount=words, number=words, share=st.floats(0, 1), percent=words, basis=words
)
cards = st.builds(
    CardRow,
    name=words,
    verdict=words,
    tone=st.sampled_from(Tone),
    examples=texts,
    detail=texts,
    asked=st.booleans(),
    mixed=st.booleans(),
)
entries = st.builds(Entry, label=words, value=texts, why=texts)
many: dict[str, st.SearchStrategy[list[Any]]] = {
    "details": st.lists(texts, max_size=8),
    "lines": st.lists(rows, min_size=1, max_size=40),
    "cards": st.lists(cards, min_size=1, max_size=20),
    "assumed": st.lists(entries, max_size=30),
    "opinions": st.lists(entries, max_size=8),
    "warnings": st.lists(texts, max_size=20),
}
gib = st.floats(0, LARGEST_GIB).map(lambda number: f"{number:,.2f}")
counted = st.builds(
    Row,
    label=st.sampled_from(LABELS),
    amount=gib,
    number=gib,
    share=st.floats(0, 1),
    percent=st.sampled_from(["<1%", "7%", "100%"]),
    basis=words,
)
presentations = st.builds(
    Presentation,
    tone=st.sampled_from(Tone),
    title=texts,
    total=words,
    headline=st.text(min_size=1, max_size=900),
    verdict=texts,
    lines_heading=words,
    whole=rows,
    kinds=texts,
    cards_note=texts,
    cards_heading=words,
    assumed_heading=words,
    opinions_heading=words,
    warnings_heading=words,
    line_heading=words,
    line=st.text(st.sampled_from("abc 123"), min_size=1, max_size=1000),
    **{name: found.map(as_tuple) for name, found in many.items()},
)


def shown(question: str) -> Presentation:
    replied = DESK.ask(question)
    assert isinstance(replied, Replied)
    return replied.presentation


@given(presentations)
def test_the_longest_there_is_stays_within_the_limits(presentation: Presentation) -> None:
    embed = answer_embed(presentation)
    assert len(embed) <= 6000
    assert 0 < len(embed.title or "") <= 256
    assert len(embed.description or "") <= 4096
    assert len(embed.fields) <= 25
    for field in embed.fields:
        assert 0 < len(field.name or "") <= 256
        assert 0 < len(field.value or "") <= 1024
    assert embed.fields[-1].value == f"`/vram {presentation.line}`"


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_whole_answer_is_there(question: str) -> None:
    presentation = shown(question)
    embed = answer_embed(presentation)
    said = "\n".join([embed.description or "", *(field.value or "" for field in embed.fields)])
    assert embed.title == presentation.headline
    for row in presentation.lines:
        assert f"{row.number} " in said
    for entry in presentation.assumed:
        assert f"`{entry.label} {entry.value}`" in said
    for card in presentation.cards:
        if card.asked:
            assert f"**{card.name}: {card.verdict}**" in said
    for sentence in (*presentation.details, *presentation.warnings, presentation.kinds):
        assert sentence in said
    assert "…" not in said


@pytest.mark.parametrize("question", QUESTIONS)
def test_columns_are_as_narrow_as_a_phone(question: str) -> None:
    embed = answer_embed(shown(question))
    blocks = [block for field in embed.fields for block in CODE.findall(field.value or "")]
    assert len(blocks) == 1
    for block in blocks:
        assert max(map(len, block.splitlines())) <= COLUMNS


@given(st.lists(counted, min_size=1, max_size=8), gib, st.sampled_from(["in_all", "in_all_each"]))
def test_the_largest_numbers_leave_columns_narrow_and_words_whole(
    lines: list[Row], number: str, key: str
) -> None:
    plain = shown("train 7B adam lora")
    whole = replace(plain.whole, number=number, label=DESK.locale.say(key))
    embed = answer_embed(replace(plain, lines=as_tuple(lines), whole=whole))
    (block,) = (
        CODE.findall(field.value or "")[0] for field in embed.fields if "```" in str(field.value)
    )
    assert max(map(len, block.splitlines())) <= COLUMNS
    said = " ".join(block.split())
    for row in (whole, *lines):
        assert f"{row.number} " in said
        assert row.label in said


@pytest.mark.parametrize(
    "question", ["infer 7B llama.cpp", "infer 8B Q5_K_S", "infer 8B q5ks kv q8"]
)
def test_a_file_format_is_called_as_people_type_it(question: str) -> None:
    replied, again = DESK.ask(question), DESK.ask(shown(question).line)
    assert isinstance(replied, Replied)
    assert isinstance(again, Replied)
    assert "gguf:" not in repr(replied.presentation)
    assert again.answer.request == replied.answer.request


@pytest.mark.parametrize("question", ["infer 7B Q5_K_S vllm", "train 7B lora q4_k_m"])
def test_also_where_it_is_refused(question: str) -> None:
    assert "gguf:" not in repr(DESK.ask(question).shown)


@pytest.mark.parametrize("plain", ["F32", "F16", "BF16"])
def test_a_file_format_with_a_namesake_is_told_apart(plain: str) -> None:
    assert f"infer 7B gguf:{plain}" in shown(f"infer 7B gguf {plain}").line
    assert f"`gguf:{plain}`" in repr(DESK.ask(f"train 7B gguf {plain}").shown)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_line_can_be_typed_again(question: str) -> None:
    presentation = shown(question)
    line = answer_embed(presentation).fields[-1].value or ""
    again = shown(line.strip("`"))
    assert again.line == presentation.line
    assert again.headline == presentation.headline


def test_shares_are_of_the_whole() -> None:
    presentation = shown("train 7B adam lora")
    # what would read as nothing has no row
    assert sum(row.share for row in presentation.lines) == pytest.approx(1, abs=0.001)
    (said,) = (f.value or "" for f in answer_embed(presentation).fields if "```" in str(f.value))
    assert said.splitlines()[1] == "15.73 GiB in all"
    assert "13.50  86% Weights" in said
    assert " 0.03  <1% Head's activations" in said


def test_the_lines_add_up_to_the_sum() -> None:
    for question in QUESTIONS:
        presentation = shown(question)
        numbers = [float(row.number.replace(",", "").strip("<")) for row in presentation.lines]
        small = sum(row.number.startswith("<") for row in presentation.lines)
        off = abs(sum(numbers) - float(presentation.whole.number.replace(",", "")))
        left_out = 1 - sum(row.share for row in presentation.lines)
        assert left_out < 0.005
        assert off <= 0.01 * (small + bool(left_out)) + 0.001


def test_every_tone_has_its_colour_and_every_verdict_its_word() -> None:
    assert set(COLOURS) == set(Tone)
    assert len(set(COLOURS.values())) == len(Tone)
    verdicts = set(DESK.locale.reply.verdicts.values())
    for question in QUESTIONS:
        said = "\n".join(field.value or "" for field in answer_embed(shown(question)).fields)
        assert any(f": {verdict}**" in said for verdict in verdicts)
