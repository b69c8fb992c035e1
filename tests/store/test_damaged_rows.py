"""A row that another hand wrote is a damage that is named, and no crash, nor anything that is said.

SQLite takes any value in any column; a server that is restored by hand may have any text.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import open_desk
from bot.measuring.measuring import Recorder, measured
from bot.saying import parts_of
from bot.store.address import DEFAULT_FILE
from bot.store.chosen import store_in
from bot.store.faults import StoreDamaged
from bot.store.store import Store
from bot.teaming import team_reply
from tests.fuzz.safety import PINGING
from tests.store.owners import GUILD, cards
from tests.store.test_measurements import ALICE, RECORD

DESK = open_desk()
AT = re.compile(r"<t:\d+:R>")  # when something was kept, as Discord shows it
NUMBERS = ("measured_bytes", "estimated_bytes", "low_bytes", "high_bytes", "kept_at")
TEXTS = ("line", "task", "statistic")
COLUMNS = {
    **dict.fromkeys((*NUMBERS, *TEXTS), "vram_measurements"),
    "cards": "vram_teams",
}
ODD = st.one_of(
    st.sampled_from((0, -1, -(2**63), 1.5, "", "abc", "`@everyone`", "\u202e", "<@1>", b"\xff")),
    st.sampled_from(("{}", "[[]]", '[["t4", 0]]', '[["t4", -3]]', '[["`@here`", 1]]', "{", "NaN")),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.binary(max_size=5),
)


def kept_with(
    column: str, value: object, then: Callable[[Store], Coroutine[Any, Any, None]]
) -> None:
    """Let `then` use a store in which a column of the last row has another value."""

    async def use(folder: Path) -> None:
        store = store_in(folder)
        await store.keep_team(GUILD, cards(2))
        await store.keep_measurement(GUILD, ALICE, RECORD)
        with closing(sqlite3.connect(folder / DEFAULT_FILE)) as other, other:
            change = f"UPDATE {COLUMNS[column]} SET {column} = ?"  # noqa: S608  (names of ours)
            other.execute(change, (value,))
        store.recent.changed(GUILD)
        try:
            await then(store)
        finally:
            await store.database.close()

    with TemporaryDirectory() as folder:
        asyncio.run(use(Path(folder)))


@given(st.sampled_from(sorted(COLUMNS)), ODD)
@settings(max_examples=60, deadline=None)
def test_nothing_of_it_breaks_what_is_said(column: str, value: object) -> None:
    async def ask(store: Store) -> None:
        desk = copy(DESK)
        desk.store = store
        said = [(await team_reply(desk, GUILD, "", may=False)).text]
        assert (await store.team_soon(GUILD)) in (None, cards(2))
        for wish in ("list", "forget last"):
            parts = parts_of(await measured(desk, wish, None, "", Recorder(GUILD, ALICE)), desk)
            embed = parts.get("embed")
            said.append(str(parts.get("content") if embed is None else embed.to_dict()))
        assert not any(PINGING.search(AT.sub("", one)) for one in said)

    kept_with(column, value, ask)


@pytest.mark.parametrize("value", ["dream", b"\xff", "", "`x`", "a\u202eb"])
@pytest.mark.parametrize("column", [*TEXTS, *NUMBERS, "cards"])
def test_it_is_named_as_a_damage(column: str, value: object) -> None:
    async def ask(store: Store) -> None:
        looked_up = store.team_of if column == "cards" else store.measurements_of
        if column == "line" and value in ("dream", ""):
            assert await looked_up(GUILD)
            return
        with pytest.raises(StoreDamaged):
            await looked_up(GUILD)

    kept_with(column, value, ask)
