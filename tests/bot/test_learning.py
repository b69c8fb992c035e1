"""The walk: every combination of choices is answered, and what is read is what is counted."""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Explained, Replied, open_desk
from bot.languages import SPOKEN
from bot.learning.asking import fields_of
from bot.learning.bars import COLUMNS
from bot.learning.held import held_at
from bot.learning.lesson import Lesson
from bot.learning.place import START, Place
from bot.learning.runs import load_runs
from bot.learning.steps import AXES, OTHERS, STEPS, VALUES, Axis, Step
from bot.learning.sums import values_of
from bot.learning.teach import lesson, walk
from bot.localised import in_english
from bot.presenting.column import in_gib
from bot.presenting.spoken import spoken
from bot.presenting.widths import columns_of
from bot.surface.lesson import lesson_embed
from bot.surface.limits import (
    MOST_DESCRIPTION,
    MOST_EMBED,
    MOST_FIELD,
    MOST_LABEL,
    MOST_TITLE,
)
from estimator import GB, GIB, Book, show_gib

DESK = open_desk()
LOCALE, CATALOG = DESK.locale, DESK.catalog
BUTTON, NAME, IN_A_ROW = 80, 100, 5  # Discord's: of a label, of a name, of buttons
MEASURED = Path(__file__).parents[1] / "accuracy" / "measured.jsonl"
ROW = re.compile(r"^(?P<name>.+?) +(?P<number><?[\d,.]+)(?: (?P<rest>.*))?$")

# What a step's request depends on: its own choices and those before it that it keeps.
ON: dict[Step, tuple[Axis, ...]] = {
    Step.RULE: (Axis.SIZE,),
    Step.RUN: (Axis.SIZE, Axis.CONTEXT, Axis.USERS),
    Step.TRAIN: (Axis.SIZE, Axis.OPTIMIZER, Axis.CHECKPOINTING),
    Step.ADAPTERS: (Axis.SIZE, Axis.OPTIMIZER, Axis.CHECKPOINTING, Axis.METHOD),
    Step.TOKENS: (*AXES[Step.TOKENS], Axis.SIZE, Axis.OPTIMIZER, Axis.METHOD),
    Step.LOSS: (
        *AXES[Step.LOSS],
        *AXES[Step.TOKENS],
        *(Axis.SIZE, Axis.OPTIMIZER, Axis.METHOD),
    ),
    Step.REAL: (Axis.RUN,),
}

places = st.builds(
    Place,
    st.sampled_from(STEPS),
    st.tuples(*(st.integers(0, len(VALUES[axis].all) - 1) for axis in Axis)),
)


def every(step: Step) -> Iterator[Place]:
    """All places of a step that ask something else."""
    for chosen in product(*(range(len(VALUES[axis].all)) for axis in ON[step])):
        place = START.at(step)
        for axis, index in zip(ON[step], chosen, strict=True):
            place = place.choosing(axis, index)
        yield place


@cache
def shown(place: Place, before: Place | None = None) -> Lesson:
    return lesson(place, before, CATALOG, LOCALE)


def hundredths(number: str) -> int:
    return 0 if number.startswith("<") else round(float(number.replace(",", "")) * 100)


def read(one: Lesson) -> tuple[list[int], dict[str, int]]:
    """The parts of the bars in hundredths of a GiB, and the sums below them by their names."""
    rows = [found for row in one.bars if (found := ROW.match(row))]
    names = [LOCALE.learn.sentences[name] for name in ("together", "measured")]
    parts = [hundredths(row["number"]) for row in rows if row["name"] not in names]
    return parts, {r["name"]: hundredths(r["number"]) for r in rows if r["name"] in names}


def check(one: Lesson, place: Place) -> None:
    """What holds for every step, whatever was chosen."""
    held = held_at(place, CATALOG)
    parts, sums = read(one)
    assert sum(parts) == sums["Total"] == hundredths(in_gib([held.bytes])[0])
    assert show_gib(held.bytes) in one.title
    assert all(0 < len(row) <= COLUMNS for row in one.bars)
    embed = lesson_embed(one)
    assert len(embed.title or "") <= MOST_TITLE
    assert len(embed.description or "") <= MOST_DESCRIPTION
    assert all(len(field.value or "") <= MOST_FIELD for field in embed.fields)
    assert len(embed) <= MOST_EMBED
    assert "…" not in f"{embed.description}{[field.value for field in embed.fields]}"
    assert embed.fields[-1].value == f"`/vram {one.line}`"
    buttons = [button for row in one.rows for button in row]
    assert len({button.id for button in buttons}) == len(buttons)
    assert all(len(row) <= IN_A_ROW for row in one.rows)
    assert all(0 < len(b.label) <= BUTTON and len(b.id) <= NAME for b in buttons)


@pytest.mark.parametrize("step", STEPS)
def test_every_combination_is_answered(step: Step) -> None:
    for place in every(step):
        check(shown(place), place)


@settings(deadline=None)
@given(places, places)
def test_whatever_was_before_it_is_held_against(place: Place, before: Place) -> None:
    one = shown(place, before)
    check(one, place)
    real = [at.step is Step.REAL for at in (place, before)]
    if place == before or real[0] != real[1]:
        assert one.moved == ""
        assert not any(mark in row for row in one.bars for mark in ("+", "was"))
        return
    now, past = held_at(place, CATALOG).bytes, held_at(before, CATALOG).bytes
    if now == past:
        assert bool(one.moved) is (place.step is before.step)
    else:
        assert one.moved.startswith(f"{show_gib(past)} → {show_gib(now)}: ")
        assert ("more" in one.moved) is (now > past)
        assert f"was {in_gib([past])[0]}" in "".join(one.bars)


@settings(deadline=None)
@given(places)
def test_the_line_that_is_shown_asks_for_what_is_shown(place: Place) -> None:
    found = DESK.estimate(shown(place).line)
    assert isinstance(found, Replied)
    peak = found.answer.estimate.peak
    match place.step:
        case Step.RULE:
            peak_bytes = next(line.bytes for line in peak.lines if line.key == "weights")
        case Step.REAL:
            moments = found.answer.estimate.moments
            peak_bytes = max(one.within(Book.ALLOCATED).bytes for one in moments)
        case _:
            peak_bytes = peak.bytes
    assert peak_bytes == held_at(place, CATALOG).bytes


def test_what_a_step_does_not_ask_changes_nothing_there() -> None:
    for step in STEPS:
        whole = fields_of(START.at(step))
        for axis in set(Axis) - set(ON[step]):
            for index in range(len(VALUES[axis].all)):
                assert fields_of(START.at(step).choosing(axis, index)) == whole


@settings(deadline=None)
@given(places)
def test_back_and_next_keep_what_was_chosen(place: Place) -> None:
    on, back = place.beside(1), place.beside(-1)
    assert on is None or on.beside(-1) == place
    assert back is None or back.beside(1) == place
    assert (on is None, back is None) == (place.step is STEPS[-1], place.step is STEPS[0])


def test_the_rule_is_what_the_first_step_multiplies() -> None:
    one, held = shown(START), held_at(START, CATALOG)
    params = held.answer.estimate.parameters.total
    assert held.bytes == 2 * params
    assert one.sum == f"7.25 B × 2 bytes = {held.bytes / GB:.1f} GB = {show_gib(held.bytes)}"


def test_training_all_of_it_takes_sixteen_bytes_a_parameter() -> None:
    place = START.at(Step.TRAIN)
    values = values_of(place, held_at(place, CATALOG), LOCALE)
    names = ("weights", "gradients", "optimizer", "all")
    assert [values[name] for name in names] == ["2", "2", "12", "16"]
    assert "16 bytes a parameter, not 2" in shown(place).text
    little = values_of(place.at(Step.ADAPTERS), held_at(place.at(Step.ADAPTERS), CATALOG), LOCALE)
    assert little["each"] == "16"


@pytest.mark.parametrize("step", [Step.RUN, Step.TOKENS, Step.LOSS])
def test_factors_make_the_product_they_stand_before(step: Step) -> None:
    for place in every(step):
        left, _, right = shown(place).sum.partition(" = ")
        if not right:
            continue
        factor = 1.0
        sizes = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
        for word in re.findall(r"([\d,.]+) (KiB|MiB|GiB)?", f"{left} "):
            factor *= float(word[0].replace(",", "")) * sizes.get(word[1], 1)
        number, unit = right.split()
        size = float(number.replace(",", "")) * sizes[unit]
        assert factor == pytest.approx(size, rel=0.02, abs=0.06 * GIB)


def test_one_press_changes_one_thing() -> None:
    for place in (START.at(step) for step in STEPS):
        own = fields_of(place)
        for axis in AXES[place.step]:
            for index in set(range(len(VALUES[axis].all))) - {place.index(axis)}:
                other = fields_of(place.choosing(axis, index))
                differing = {name for name in {*own, *other} if own.get(name) != other.get(name)}
                assert len(differing - {"weights"}) == 1, (place.step, axis)


def test_where_nothing_moves_that_is_said() -> None:
    place = START.at(Step.TOKENS).choosing(Axis.METHOD, 0)
    one = shown(place.choosing(Axis.CHECKPOINTING, 1), place)
    assert one.moved == "108.5 GiB as before: most is held in backward, where this changes nothing"


def test_what_is_entered_where_it_was_left_is_not_said_to_move() -> None:
    tokens = START.at(Step.TOKENS)
    assert shown(tokens, START.at(Step.ADAPTERS)).moved == ""
    assert shown(tokens.at(Step.LOSS), tokens).moved == ""


def test_each_step_has_two_to_four_changes() -> None:
    for step in STEPS:
        assert 2 <= len(shown(START.at(step)).rows[0]) <= 4


def test_the_other_model_has_another_vocabulary() -> None:
    place = START.at(Step.LOSS)
    for size in range(len(VALUES[Axis.SIZE].all)):
        sized = place.choosing(Axis.SIZE, size)
        own, other = (
            held_at(sized.choosing(Axis.MODEL, n), CATALOG).answer.setup.shape.architecture
            for n in (0, 1)
        )
        assert own.vocabulary != other.vocabulary
    assert set(OTHERS) == set(VALUES[Axis.SIZE].all)


def test_runs_are_rows_that_the_estimate_is_scored_with() -> None:
    rows = {row["id"]: row for row in map(json.loads, MEASURED.read_text().splitlines())}
    runs = load_runs()
    assert tuple(one.id for one in runs.run) == VALUES[Axis.RUN].all
    for one in runs.run:
        row, fields = rows[one.row], runs.fields_of(one.id)
        assert one.bytes == round(row["published_value"] * GB)
        assert (row["published_unit"], row["statistic_kind"]) == ("GB", "allocated")
        same = {name: value for name, value in fields.items() if name != "framework"}
        assert {name: row["settings"].get(name) for name in same} == same
        assert row["settings"]["framework"] == "litgpt"
        assert CATALOG.sources.find(one.source).where.startswith("https://")


@pytest.mark.parametrize("run", range(len(VALUES[Axis.RUN].all)))
def test_how_far_off_it_is_stands_beside_what_was_measured(run: int) -> None:
    place = START.at(Step.REAL).choosing(Axis.RUN, run)
    one, held = shown(place), held_at(place, CATALOG)
    measured = load_runs().run[run].bytes
    assert read(one)[1]["Measured"] == hundredths(in_gib([measured])[0])
    assert f"{abs(held.bytes / measured - 1):.2%}" in one.sum
    assert one.sum.endswith("above" if held.bytes > measured else "below")
    inside = held.low_bytes <= measured <= held.high_bytes
    assert ("holds it" in one.text) is inside
    assert f"{measured / GB:.2f} GB" in one.text


def test_the_walk_ends_in_lines_that_are_answered() -> None:
    last = shown(START.at(Step.REAL))
    lines = re.findall(r"`/vram ([^`]+)`", " ".join(last.further))
    own, why = (DESK.ask(line) for line in lines)
    assert isinstance(own, Replied)
    assert isinstance(why, Explained)


@pytest.mark.parametrize("code", SPOKEN)
def test_it_is_told_in_every_language_in_as_many_columns(code: str) -> None:
    locale = DESK.speaking(code).locale
    for place in (START.at(step) for step in STEPS):
        for axis in AXES[place.step]:
            changed = place.choosing(axis, len(VALUES[axis].all) - 1 - place.index(axis))
            one = spoken(lesson(changed, place, CATALOG, locale), locale)
            assert all(0 < columns_of(row) <= COLUMNS for row in one.bars)
            embed = lesson_embed(one)
            told = f"{embed.title}{embed.description}{[field.value for field in embed.fields]}"
            assert not {"{", "}", "…"} & set(told)
            assert in_english(one.line) == shown(changed).line
            labels = [button.label for row in one.rows for button in row]
            assert all(label and len(label) <= MOST_LABEL for label in labels)


def test_the_whole_walk_is_held_together() -> None:
    lessons = walk(CATALOG, LOCALE)
    assert [one.foot for one in lessons] == [f"Step {n} of 7" for n in range(1, 8)]
    assert [bool(one.moved) for one in lessons] == [False, True, True, True, False, False, False]
