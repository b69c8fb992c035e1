"""What Discord says of where to connect: taken where it can be, an error in words elsewhere."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from bot.gateway import Told, read_told, resuming_at
from bot.one_try import NonsenseError
from bot.ops.sharding import MOST_SHARDS

SAID: dict[str, Any] = {
    "url": "wss://gateway.discord.gg",
    "shards": 9,
    "session_start_limit": {
        "total": 1000,
        "remaining": 999,
        "reset_after": 14_400_000,
        "max_concurrency": 1,
    },
}
TOLD = Told(9, URL("wss://gateway.discord.gg"), 999, 14_400, 1000)
TOTAL, DAY_S = 1000, 86_400
WRONG: dict[str, list[object]] = {
    "shards": [0, -1, MOST_SHARDS + 1, 10**30, 1.5, True, "1", None, [1], float("nan")],
    "url": ["", "gateway.discord.gg", "https://discord.com", "wss://", "wss://[", 1, None],
    "session_start_limit": [None, 1, []],
}
LIMITS: dict[str, list[object]] = {
    "remaining": [-1, 0.5, "1", None],
    "reset_after": [-1, float("inf"), float("nan"), 1e300, "1", None],
}


def test_what_discord_says_is_taken() -> None:
    assert read_told(SAID, {}) == TOLD


@pytest.mark.parametrize(("key", "value"), [(key, v) for key, vs in WRONG.items() for v in vs])
def test_what_cannot_be_is_named(key: str, value: object) -> None:
    with pytest.raises(NonsenseError, match=rf"\({key}\)$"):
        read_told({**SAID, key: value}, {})
    with pytest.raises(NonsenseError, match=rf"\({key}\)$"):
        read_told({name: part for name, part in SAID.items() if name != key}, {})


@pytest.mark.parametrize(("key", "value"), [(key, v) for key, vs in LIMITS.items() for v in vs])
def test_so_is_what_cannot_be_waited_for(key: str, value: object) -> None:
    limit = {**SAID["session_start_limit"], key: value}
    with pytest.raises(NonsenseError, match=rf"\(session_start_limit\.{key}\)$"):
        read_told({**SAID, "session_start_limit": limit}, {})


def test_what_settings_say_need_not_make_sense() -> None:
    assert read_told({**SAID, "shards": 0}, {"shards": 9}) == TOLD
    assert read_told({**SAID, "url": 0}, {"url": "wss://gateway.discord.gg"}) == TOLD


@given(st.integers(1, 60), st.integers(0, 86_400), st.floats(0, 600))
def test_who_is_started_again_and_again_never_spends_a_days_sessions(
    an_hour: int, first_s: int, between_s: float
) -> None:
    """Though each start knows nothing but what Discord says; those of Discord's day."""
    an_hour, now, used = min(an_hour, 41), float(first_s), 1  # 41 is the most that may be set
    while now < DAY_S:
        told = Told(1, URL("wss://gateway.discord.gg"), TOTAL - used, DAY_S - now, TOTAL)
        if wait_s := told.wait_s(an_hour):
            assert wait_s <= DAY_S - now
            now += wait_s
        else:
            used += 1
            now += between_s + 1
    assert used < TOTAL


def test_half_a_days_sessions_go_as_they_are_needed() -> None:
    for left in range(TOTAL // 2, TOTAL):
        assert Told(1, URL("wss://gateway.discord.gg"), left, DAY_S, TOTAL).wait_s(40) == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from([*SAID]), part),
    max_leaves=6,
)


@given(JSON)
def test_anything_is_an_answer_or_an_error(said: object) -> None:
    with suppress(NonsenseError):
        assert read_told(said, {}).shards > 0


@pytest.mark.parametrize(
    "said", ["wss://gateway-us-east1-b.discord.gg", "wss://gateway.discord.gg/?v=10"]
)
def test_a_session_goes_on_where_discord_said(said: str) -> None:
    assert resuming_at(said, TOLD.address) == URL(said)


@pytest.mark.parametrize(
    "said",
    [
        *("wss://discord.gg.example", "wss://notdiscord.gg", "ws://gateway.discord.gg", "wss://["),
        *("", "x", "wss://10.0.0.1", "https://gateway.discord.gg", "wss://example/.discord.gg"),
    ],
)
def test_nowhere_else_is_the_token_shown(said: str) -> None:
    """What is kept in a store may be of another hand."""
    assert resuming_at(said, TOLD.address) == TOLD.address
    assert resuming_at(said, URL("ws://127.0.0.1:9/")) == URL("ws://127.0.0.1:9/")
