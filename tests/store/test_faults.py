"""An SQLite file that is locked, full, gone, damaged or nobody's: what is said, nothing lost."""

import itertools
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.store.address import in_file
from bot.store.database import Database
from bot.store.faults import (
    StoreDamaged,
    StoreFault,
    StoreFull,
    StoreGone,
    StoreLocked,
)
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from tests.store.owners import GUILD, cards


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the store of these tests lies: in a folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder / "kept.sqlite3"


@pytest.fixture
async def own(file: Path) -> AsyncIterator[Store]:
    """A store there."""
    made = Store(Database(in_file(file)))
    yield made
    await made.database.close()


async def refused(store: Store) -> type[StoreFault]:
    """Why nothing can be kept."""
    with pytest.raises(StoreFault) as caught:
        await store.keep_team(GUILD, cards(2))
    return caught.type


def put_folder(path: Path) -> None:
    path.mkdir()


def put(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def content_of(path: Path) -> bytes:
    return path.read_bytes()


async def test_it_is_written_so_that_a_power_cut_loses_nothing(own: Store) -> None:
    def pragmas(connection: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys")
        return [connection.exec_driver_sql(f"PRAGMA {one}").scalar() for one in names]

    assert await own.database.run(pragmas) == ["wal", 2, 1]


async def test_while_another_program_writes(own: Store, file: Path) -> None:
    await own.keep_team(GUILD, cards(1))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert await refused(own) is StoreLocked
        assert await own.team_of(GUILD) == cards(1)  # who reads waits for nobody
        other.execute("ROLLBACK")
    await own.keep_team(GUILD, cards(2))
    assert await own.team_of(GUILD) == cards(2)


async def test_while_there_is_no_room(own: Store) -> None:
    run = own.database.run
    await own.keep_team(GUILD, cards(1))
    (pages,) = await run(lambda c: c.exec_driver_sql("PRAGMA page_count").one())
    await run(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count = {pages}").close())
    kept = []
    with suppress(StoreFull):
        for number in itertools.count(1):
            await own.keep_team(Owner(OwnerKind.USER, number), cards(number, own=True))
            kept.append(number)
    for number in kept:
        found = await own.team_of(Owner(OwnerKind.USER, number))
        assert found == cards(number, own=True)
    assert await own.team_of(Owner(OwnerKind.USER, len(kept) + 1)) is None
    assert await own.team_of(GUILD) == cards(1)
    await run(lambda c: c.exec_driver_sql("PRAGMA max_page_count = 10000").close())
    await own.keep_team(Owner(OwnerKind.USER, len(kept) + 1), cards(1))


async def test_while_its_folder_is_gone(own: Store, file: Path) -> None:
    await own.keep_team(GUILD, cards(1))
    away = shutil.move(file.parent, f"{file.parent}-away")
    assert await refused(own) is StoreGone
    with pytest.raises(StoreGone):
        await own.team_of(GUILD)
    shutil.move(away, file.parent)
    assert await own.team_of(GUILD) == cards(1)


async def test_a_file_that_was_there_is_not_made_anew(own: Store, file: Path) -> None:
    """Else what is kept from then on would hide what comes back, as of a volume."""
    await own.keep_team(GUILD, cards(1))
    for one in file.parent.iterdir():
        one.unlink()
    assert await refused(own) is StoreGone
    assert list(file.parent.iterdir()) == []


async def test_a_file_that_was_put_in_its_place_is_used(
    own: Store, file: Path, tmp_path: Path
) -> None:
    copy = Store(Database(in_file(tmp_path / "copy.sqlite3")))
    await copy.keep_team(GUILD, cards(7))
    await copy.database.close()
    await own.keep_team(GUILD, cards(1))
    for one in file.parent.iterdir():
        one.unlink()
    (tmp_path / "copy.sqlite3").rename(file)
    assert await own.team_of(GUILD) == cards(7)


async def test_a_folder_in_its_place(own: Store, file: Path) -> None:
    put_folder(file)
    assert await refused(own) is StoreGone


async def test_no_folder_at_all(tmp_path: Path) -> None:
    store = Store(Database(in_file(tmp_path / "nowhere" / "kept.sqlite3")))
    assert await refused(store) is StoreGone
    assert not (tmp_path / "nowhere").exists()
    await store.database.close()


@pytest.mark.parametrize(
    "content", [b"no database at all" * 99, b"SQLite format 3\0" + b"\xff" * 4096]
)
async def test_a_file_that_is_none(own: Store, file: Path, content: bytes) -> None:
    put(file, content)
    assert await refused(own) is StoreDamaged
    assert content_of(file) == content


async def test_a_file_whose_pages_are_broken(own: Store, file: Path) -> None:
    await own.keep_team(GUILD, cards(1))
    await own.database.close()
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(os.urandom(3 * 4096))
    again = Store(Database(in_file(file)))
    assert await refused(again) is StoreDamaged
    await again.database.close()


async def test_faults_hold_no_address_and_no_value(own: Store, file: Path) -> None:
    put_folder(file)
    with pytest.raises(StoreGone) as caught:
        await own.keep_team(GUILD, cards(1))
    assert str(caught.value) == ""
    assert caught.value.__suppress_context__


async def test_a_link_to_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    """As in the image, whose working folder takes no file."""
    (tmp_path / "data").mkdir()
    (tmp_path / "app").mkdir()
    link, file = tmp_path / "app" / "kept.sqlite3", tmp_path / "data" / "kept.sqlite3"
    link.symlink_to(file)
    store = Store(Database(in_file(link)))
    await store.keep_team(GUILD, cards(1))
    assert await store.team_of(GUILD) == cards(1)
    assert file.exists()
    assert [one.name for one in (tmp_path / "app").iterdir()] == [link.name]
    await store.database.close()
