"""What Discord says of where to connect: taken where it can be, an error in words elsewhere."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from bot.gateway import Told, read_told
from bot.one_try import NonsenseError
from bot.sections import MOST_SHARDS

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
TOLD = Told(9, URL("wss://gateway.discord.gg"), 999, 14_400)
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from([*SAID]), part),
    max_leaves=6,
)


@given(JSON)
def test_anything_is_an_answer_or_an_error(said: object) -> None:
    with suppress(NonsenseError):
        assert read_told(said, {}).shards > 0
