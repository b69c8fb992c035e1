"""What was found outlives a stop; a file that is no use costs nothing but itself."""

import json
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.hub import file as file_module
from bot.hub.file import VERSION, FileCache
from bot.hub.hub import Hub
from bot.hub.keeping import MOST_IN_MEMORY, Memory
from bot.hub.repository import Missed, Outcome, Reason, Repository
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn, Wrong, drops, says

NAME = "some/thing-8b"
FOUND = Repository(id=NAME, asked=NAME, config=LLAMA, counts={"BF16": LLAMA_COUNT})
MISSED = Missed(id=NAME, reason=Reason.MISSING)
NOW, LATER = 1_000.0, 2_000.0


async def told(path: Path, key: str = NAME, now: float = NOW) -> Outcome | None:
    """What a new cache over the file says."""
    cache = FileCache(path)
    kept = await cache.get(key, now)
    await cache.close()
    return None if kept is None else kept[0]


async def tell(path: Path, outcome: Outcome = FOUND, key: str = NAME) -> None:
    cache = FileCache(path)
    await cache.put(key, outcome, LATER, NOW)
    await cache.close()


@pytest.mark.parametrize("outcome", [FOUND, MISSED])
async def test_it_is_there_after_a_stop(tmp_path: Path, outcome: Outcome) -> None:
    path = tmp_path / "hub.sqlite"
    await tell(path, outcome)
    assert await told(path) == outcome
    assert await told(path, "other/thing-8b") is None
    assert await told(path, now=LATER) is None


async def test_a_start_asks_the_hub_nothing_again(standin: HubStandIn, tmp_path: Path) -> None:
    standin.add(NAME, LLAMA)
    for _ in range(3):
        hub = Hub(base=standin.base, cache_file=tmp_path / "hub.sqlite")
        assert isinstance(await hub.look_up(NAME), Repository)
        await hub.close()
    assert len(standin.asked) == 2


@pytest.mark.parametrize(
    ("wrong", "again"), [(drops, True), (says(500), True), (says(429), True), (says(404), False)]
)
async def test_what_passes_is_asked_again_after_a_start(
    standin: HubStandIn, tmp_path: Path, wrong: Wrong, again: bool
) -> None:
    standin.wrong["/api/"] = wrong
    seen: list[int] = []
    for _ in range(2):
        hub = Hub(base=standin.base, cache_file=tmp_path / "hub.sqlite")
        await hub.look_up(NAME)
        await hub.close()
        seen.append(len(standin.asked))
    assert (seen[1] > seen[0]) == again


def corrupt(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever its name says" * 100)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def scramble(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[100:] = bytes((byte + 7) % 256 for byte in body[100:])
    path.write_bytes(body)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS = [corrupt, cut, scramble, become_a_folder]


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_corrupt_file_is_left_with_one_line(
    standin: HubStandIn,
    tmp_path: Path,
    fault: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "hub.sqlite"
    await tell(path)
    fault(path)
    standin.add(NAME, LLAMA)
    hub = Hub(base=standin.base, cache_file=path)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert isinstance(await hub.look_up(NAME), Repository)
        await hub.look_up("other/thing-8b")
    await hub.close()
    assert caplog.text.count("memory alone is") == 1
    assert len(standin.asked) == 3


@pytest.mark.parametrize("where", ["missing/folder/hub.sqlite", "file/hub.sqlite"])
async def test_a_place_that_cannot_be_written_is_left(
    standin: HubStandIn, tmp_path: Path, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x")
    standin.add(NAME, LLAMA)
    hub = Hub(base=standin.base, cache_file=tmp_path / where)
    assert isinstance(await hub.look_up(NAME), Repository)
    assert isinstance(await hub.recall(NAME), Repository)
    await hub.close()
    assert caplog.text.count("memory alone is") == 1


async def test_a_locked_file_is_left(
    standin: HubStandIn,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_module, "PATIENCE_S", 0.01)
    path = tmp_path / "hub.sqlite"
    await tell(path)
    standin.add("other/thing-8b", LLAMA)
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    hub = Hub(base=standin.base, cache_file=path)
    assert isinstance(await hub.look_up("other/thing-8b"), Repository)
    await hub.close()
    other.close()
    assert caplog.text.count("memory alone is") == 1


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "{}",
        json.dumps({"id": NAME, "asked": NAME, "counts": {"BF16": -1}}),
        json.dumps({"id": NAME, "reason": "because"}),
        json.dumps({"id": NAME, "asked": NAME, "surprise": 1}),
        json.dumps({"id": "x" * 500, "asked": NAME}),
    ],
)
async def test_a_row_by_another_hand_is_forgotten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hub.sqlite"
    await tell(path)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE said SET outcome = ?", (text,))
    other.close()
    assert await told(path) is None
    await tell(path)
    assert await told(path) == FOUND


async def test_rows_of_another_version_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "hub.sqlite"
    await tell(path)
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
        other.execute("DROP TABLE said")
        other.execute("CREATE TABLE said (something TEXT)")
    other.close()
    assert await told(path) is None
    await tell(path)
    assert await told(path) == FOUND


async def test_the_rows_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_module, "MOST_ROWS", 10)
    cache = FileCache(tmp_path / "hub.sqlite")
    await cache.put("first", MISSED, LATER, NOW)
    for number in range(30):
        await cache.put(f"key {number}", MISSED, LATER, NOW + number)
        await cache.get("first", NOW + number + 0.5)
    kept = [n for n in range(30) if await cache.get(f"key {n}", NOW + 50) is not None]
    assert kept == list(range(21, 30))
    assert await cache.get("first", NOW + 50) is not None
    await cache.close()


async def test_old_rows_and_large_ones_do_not_pile_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_module, "LARGEST_ROW", 500)
    path = tmp_path / "hub.sqlite"
    cache = FileCache(path)
    await cache.put("old", MISSED, NOW + 1, NOW)
    await cache.put("large", FOUND, LATER, NOW)
    await cache.put("new", MISSED, LATER, NOW + 2)
    await cache.close()
    with sqlite3.connect(path) as other:
        assert [key for (key,) in other.execute("SELECT key FROM said")] == ["new"]
    other.close()


def test_memory_forgets_what_was_used_longest_ago() -> None:
    memory = Memory()
    for number in range(MOST_IN_MEMORY):
        memory.put(str(number), MISSED, LATER)
    assert memory.get("0", NOW) == MISSED
    memory.put("new", MISSED, LATER)
    assert memory.get("1", NOW) is None
    assert memory.get("0", NOW) == MISSED
    assert memory.get("new", LATER) is None
