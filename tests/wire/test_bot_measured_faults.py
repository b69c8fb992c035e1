"""`/vram measured` where the store fails: the comparison is answered, and nothing is lost."""

import itertools
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bot.store.address import DEFAULT_FILE
from bot.store.faults import StoreFull
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from tests.store.test_measurements import RECORD
from tests.wire.keeping import keeping
from tests.wire.measuring import ANNOUNCED, ASKED, VERDICT, count, said, typed
from tests.wire.messages import EPHEMERAL
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn
from tests.wire.test_bot_team_faults import held

pytestmark = pytest.mark.usefixtures("unhurried")


async def fill(store: Store) -> None:
    """Let the file have no page more than it has, and fill those that there are."""
    run = store.database.run
    (pages,) = await run(lambda c: c.exec_driver_sql("PRAGMA page_count").one())
    await run(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count = {pages}").close())
    owner = Owner(OwnerKind.USER, 2**60)
    with suppress(StoreFull):
        for number in itertools.count(1):
            await store.keep_measurement(owner, number, replace(RECORD, measured_bytes=number))


async def test_with_nothing_kept_here_it_is_compared_all_the_same(standin: StandIn) -> None:
    async with ready(standin):
        reply = await typed(standin, ASKED)
        listed = await typed(standin, {"query": "list"})
    assert reply.embeds[0]["title"] == VERDICT
    assert "It is not kept.** Who runs me has it switched off" in said(reply)
    assert listed.ephemeral
    assert "switched off" in listed.content


async def test_while_it_is_gone(standin: StandIn, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    async with keeping(standin, folder):
        await typed(standin, ASKED)
        away = shutil.move(folder, tmp_path / "away")
        reply = await typed(standin, ASKED)
        listed = await typed(standin, {"query": "list"})
        back = await typed(standin, {"query": "forget last"})
        shutil.move(away, folder)
        assert await count(standin) == "Measured so far: 1"
    assert reply.embeds[0]["title"] == VERDICT
    assert "It is not kept.** Where things are kept cannot be reached" in said(reply)
    assert listed.ephemeral
    assert listed.content.startswith("The records cannot be looked up. Where things are kept")
    assert back.content.startswith("I could not take it back. Where things are kept")


async def test_while_it_is_locked(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path):
        await typed(standin, ASKED)
        with held(tmp_path / DEFAULT_FILE):
            reply = await typed(standin, ASKED)
        assert await count(standin) == "Measured so far: 1"
    assert reply.embeds[0]["title"] == VERDICT
    assert "It is not kept.** " in said(reply)
    assert "Nothing was changed" in said(reply)


async def test_while_there_is_no_room(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        await typed(standin, ASKED)
        await fill(kept.store)
        reply = await typed(standin, ASKED)
        assert await count(standin) == "Measured so far: 1"
    assert reply.embeds[0]["title"] == VERDICT
    assert "It is not kept.** There is no room left to write." in said(reply)


async def test_what_is_wrong_after_a_while_is_for_the_asker_alone(
    standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 0)
    folder = tmp_path / "data"
    folder.mkdir()
    async with keeping(standin, folder):
        await typed(standin, ASKED)
        shutil.move(folder, tmp_path / "away")
        reply = await standin.slash("vram measured", {"query": "list"})
        await standin.until(lambda: bool(reply.stored and reply.stored.deleted))
    (aside,) = reply.followups
    assert reply.type == ANNOUNCED
    assert aside["flags"] & EPHEMERAL
    assert "cannot be reached" in aside["content"]
