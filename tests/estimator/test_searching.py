"""The largest number with room: tried, and so was the next; in few tries where memory is a line."""

from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.searching import largest


class Rooms:
    """Room that falls by steps of any size; counts how often it was asked."""

    def __init__(self, start: int, falls: dict[int, int], slope: int) -> None:
        self.start, self.falls, self.slope = start, falls, slope
        self.asked: list[int] = []

    def __call__(self, number: int) -> int:
        self.asked.append(number)
        steps = sum(fall for at, fall in self.falls.items() if at <= number)
        return self.start - self.slope * number - steps


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.integers(-10, 10_000),
    st.dictionaries(st.integers(1, 500), st.integers(0, 5_000), max_size=8),
    st.integers(0, 50),
    st.integers(1, 40),
    st.integers(0, 500),
)
def test_it_has_room_and_the_next_has_none(
    start: int, falls: dict[int, int], slope: int, least: int, beyond: int
) -> None:
    limit = least + beyond
    rooms = Rooms(start, falls, slope)
    found = largest(least, limit, rooms)
    held = [number for number in range(least, limit + 1) if Rooms(start, falls, slope)(number) >= 0]
    assert found == max(held, default=0)
    assert set(rooms.asked) <= set(range(least, limit + 1))


def test_a_straight_line_takes_few_tries() -> None:
    rooms = Rooms(10**9, {}, 12_345)
    assert largest(1, 2**27, rooms) == 10**9 // 12_345
    assert len(rooms.asked) <= 6


def test_all_or_nothing_halves() -> None:
    asked = []

    def room(number: int) -> int:
        asked.append(number)
        return 0 if number <= 70_001 else -1

    assert largest(1, 2**27, room) == 70_001
    assert len(asked) <= 60


def test_of_several_the_tightest_decides() -> None:
    rooms = [Rooms(start, {}, 3) for start in (900, 300, 600)]
    assert largest(1, 10_000, *rooms) == 100
    assert largest(1, 10_000) == 10_000
    assert largest(1, 10_000, *rooms, hopeful=True) == 100
    assert largest(1, 10_000, rooms[0], Rooms(-1, {}, 0), rooms[1]) == 0


def test_a_limit_that_is_hoped_for_is_tried_first() -> None:
    rooms = [Rooms(900, {}, 3) for _ in range(3)]
    assert largest(1, 300, *rooms, hopeful=True) == 300
    assert [room.asked for room in rooms] == [[300]] * 3
