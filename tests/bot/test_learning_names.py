"""Names of buttons in the walk: what is written is read, and nothing else is."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.learning.place import LAYOUT, START, Place, name_of, places_in
from bot.learning.steps import STEPS, VALUES, Axis
from bot.presses.ids import TEMPLATE, Action, id_of

places = st.builds(
    Place,
    st.sampled_from(STEPS),
    st.tuples(*(st.integers(0, len(VALUES[axis].all) - 1) for axis in Axis)),
)


@settings(deadline=None)
@given(places, st.none() | places)
def test_a_name_says_the_place_and_the_one_before(place: Place, before: Place | None) -> None:
    name = name_of(place, before)
    assert places_in(name) == (place, before)
    button = id_of(Action.LEARN, name)
    assert len(button) <= 100
    found = re.fullmatch(TEMPLATE, button)
    assert found is not None
    assert (found["action"], found["value"]) == (Action.LEARN, name)


WHOLE = name_of(START)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "b",
        "next",
        WHOLE[1:],
        "a" + WHOLE[1:],
        WHOLE[:-1],
        WHOLE + "0",
        WHOLE + "-",
        WHOLE + "-" + WHOLE,
        LAYOUT + "0" + WHOLE[2:],
        LAYOUT + "8" + WHOLE[2:],
        WHOLE[:2] + "9" + WHOLE[3:],
        WHOLE + "-1" + "9" * len(Axis),
        WHOLE[:-1] + "٣",
        WHOLE + "\n",
    ],
)
def test_what_no_button_has_is_no_place(name: str) -> None:
    assert places_in(name) is None


@settings(deadline=None)
@given(st.from_regex(r"\A[a-z0-9-]{1,80}\Z"))
def test_any_name_is_read_or_is_none(name: str) -> None:
    found = places_in(name)
    assert found is None or name_of(*found) == name


def test_indexes_have_one_digit() -> None:
    assert all(len(values.all) <= 10 for values in VALUES.values())
    assert all(0 <= values.first < len(values.all) for values in VALUES.values())
