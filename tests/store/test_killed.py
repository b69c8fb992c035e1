"""Killed at any moment: what was told as kept is kept, and what lies there is whole."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from bot.store.address import Address, in_file
from bot.store.database import Database
from bot.store.store import Store
from tests.repo.product import ROOT
from tests.store.owners import GUILD, PATIENT_S, cards

TIMES = 10
MOST_LINES = 40  # that a program writes before it is killed


def killed(url: str, first: int, after: int) -> int:
    """Let a program write, kill it after so many teams; the last that it told, 0 for none."""
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.store.writing", url, str(first)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    with program, program.stdout as lines:
        assert lines.readline() == "ready\n"
        told = [lines.readline() for _ in range(after)]
        program.kill()
        told += lines.readlines()
    whole = [line for line in told if line.endswith("\n")]
    return int(whole[-1]) if whole else 0


@pytest.mark.parametrize("seed", [1])
async def test_what_was_told_as_kept_is_kept(address: Address, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (where to kill, and no secret)
    url, last = address.url.get_secret_value().replace("+psycopg", ""), 0
    for _ in range(TIMES):
        told = killed(url, last + 1, chance.randrange(MOST_LINES)) or last
        store = Store(Database(address))
        kept = await store.team_of(GUILD, within_s=PATIENT_S)
        if address.file is not None:
            check = await store.database.run(
                lambda c: c.exec_driver_sql("PRAGMA integrity_check").scalar()
            )
            assert check == "ok"
        await store.database.close()
        last = 0 if kept is None else kept.cards[0].count
        assert kept is None or kept == cards(*[last] * 8)  # the old or the new, and no mixture
        assert told <= last <= told + 1


async def test_a_file_that_was_never_finished_opens(tmp_path: Path) -> None:
    """As one is that was killed before its tables were made."""
    (tmp_path / "kept.sqlite3").touch()
    store = Store(Database(in_file(tmp_path / "kept.sqlite3")))
    await store.keep_team(GUILD, cards(1))
    assert await store.team_of(GUILD) == cards(1)
    await store.database.close()
