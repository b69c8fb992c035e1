"""`/vram team` where the store fails: why is said, and what was kept is kept."""

import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from bot.store.address import DEFAULT_FILE
from bot.store.faults import StoreFull
from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard
from tests.wire.keeping import Keeping, keeping
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_team import CARDS, KEPT, TEAM, said_of

pytestmark = pytest.mark.usefixtures("unhurried")

OTHER = {"query": "h100"}
NOT_KEPT = "**I could not keep H100 SXM5 80 GB.**\n"


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Another program is writing."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def fill(kept: Keeping) -> None:
    """Let the file have no page more than it has, and fill those that there are."""
    run = kept.store.database.run
    (pages,) = await run(lambda c: c.exec_driver_sql("PRAGMA page_count").one())
    await run(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count = {pages}").close())
    with suppress(StoreFull):
        for number in itertools.count(2**60):
            await kept.store.keep_team(Owner(OwnerKind.USER, number), Team((TeamCard("t4", 1),)))


async def test_while_it_is_locked(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        with held(tmp_path / DEFAULT_FILE):
            said = await standin.slash(TEAM, OTHER, by=kept.boss)
            shown = await standin.slash(TEAM, {"query": "show"}, by=kept.member)
        assert await kept.store.team_of(kept.guild) == KEPT
        again = await standin.slash(TEAM, OTHER, by=kept.boss)
    assert said.content.startswith(f"{NOT_KEPT}Somebody else is writing there")
    assert said.ephemeral
    assert "2× RTX 3090" in shown.content
    assert "H100" in again.content


async def test_while_there_is_no_room(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        await fill(kept)
        said = await standin.slash(TEAM, OTHER, by=kept.member, where=Where.BOT_DM)
        assert await kept.store.team_of(kept.guild) == KEPT
        answer = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
    assert said.content.startswith(f"{NOT_KEPT}There is no room left to write.")
    assert said_of(answer.embeds[0])


async def test_while_it_is_gone(standin: StandIn, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    async with keeping(standin, folder) as kept:
        await standin.slash(TEAM, CARDS, by=kept.boss)
        kept.store.recent.changed(kept.guild)
        away = shutil.move(folder, tmp_path / "away")
        said = await standin.slash(TEAM, OTHER, by=kept.boss)
        shown = await standin.slash(TEAM, {"query": "show"}, by=kept.member)
        answer = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
        shutil.move(away, folder)
        assert await kept.store.team_of(kept.guild) == KEPT
    assert said.content.startswith(f"{NOT_KEPT}Where things are kept cannot be reached")
    assert shown.content.startswith("**I could not look up the cards.**\nWhere things are kept")
    assert said.ephemeral
    assert shown.ephemeral
    assert said_of(answer.embeds[0]) == ""
    assert "GiB" in answer.embeds[0]["title"]


async def test_what_a_newer_version_keeps_is_left_alone(standin: StandIn, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DEFAULT_FILE)) as newer:
        newer.execute("CREATE TABLE vram_schema (version INTEGER NOT NULL PRIMARY KEY)")
        newer.execute("INSERT INTO vram_schema VALUES (999)")
        newer.commit()
    async with keeping(standin, tmp_path) as kept:
        said = await standin.slash(TEAM, OTHER, by=kept.boss)
        answer = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
    assert said.content.startswith(f"{NOT_KEPT}What is kept there is of a newer version of me.")
    assert said_of(answer.embeds[0]) == ""


async def test_a_card_that_is_known_no_longer_is_said(standin: StandIn, tmp_path: Path) -> None:
    async with keeping(standin, tmp_path) as kept:
        old = Team((TeamCard("voodoo-2", 2), TeamCard("rtx-3090", 1)))
        await kept.store.keep_team(kept.guild, old)
        shown = await standin.slash(TEAM, {"query": "show"}, by=kept.member)
        answer = await standin.slash("vram train", {"query": "7B qlora"}, by=kept.member)
        table = await standin.slash("vram fit", {"query": "qlora"}, by=kept.member)
    assert "- `voodoo-2`: I no longer know this card" in shown.content
    said = said_of(answer.embeds[0])
    assert said == "**yes**: on RTX 3090\nI no longer know voodoo-2, and left it out."
    assert "I took your team's: rtx-3090." in str(table.embeds[0])
