"""What a start loads, and what it leaves until it is needed."""

import subprocess
import sys

from bot.ask import Refused, open_desk
from estimator import engine_ids, load_catalog
from tests.repo.product import ROOT

KEPT = """
import asyncio
from pathlib import Path
from bot.store.chosen import store_in
from bot.store.owner import Owner, OwnerKind
from bot.team import Team, TeamCard

async def keep():
    store = store_in(Path("{folder}"))
    owner, team = Owner(OwnerKind.GUILD, 1), Team((TeamCard("rtx-3090", 2),))
    work = store.database.run
    store.database.run = lambda *given, **how: work(*given, **how | {{"within_s": 60}})
    await store.keep_team(owner, team)
    assert await store.team_of(owner) == team
    await store.database.close()

asyncio.run(keep())
"""


def loaded(code: str) -> set[str]:
    """The modules that a fresh Python has after `code`."""
    said = subprocess.run(
        (sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"),
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(said.stdout.split())


def test_a_bot_on_discord_loads_no_terminal_and_no_database() -> None:
    modules = loaded("import bot.command_line, bot.connecting")
    assert "discord" in modules
    assert not modules & {"rich", "sqlalchemy", "psycopg", "babel", "vl_convert"}


def test_who_keeps_things_in_sqlite_loads_nothing_of_postgresql(tmp_path: object) -> None:
    modules = loaded(KEPT.format(folder=tmp_path))
    assert "sqlalchemy.dialects.sqlite" in modules
    assert not modules & {"psycopg", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm"}


def test_a_desk_reads_no_tables_before_they_are_needed() -> None:
    code = "from bot.ask import open_desk; open_desk(); from estimator import load_catalog"
    assert "0" in loaded(f"{code}; print(load_catalog.cache_info().currsize)")
    assert "1" in loaded(
        f"{code}; open_desk().ask('7B lora'); print(load_catalog.cache_info().currsize)"
    )


def test_engines_are_named_without_the_other_tables() -> None:
    assert engine_ids() == load_catalog().engines.ids


def test_names_are_listed_for_all_languages_by_one() -> None:
    desk = open_desk()
    assert desk.speaking("de").completer is desk.completer
    assert desk.speaking("de").speaking("fr").suggester is desk.suggester


def test_a_wrong_option_is_wrong_each_time_in_the_same_words() -> None:
    desk = open_desk()
    options: dict[str, str | int] = {"task": "train", "batch": 0}
    first, second = (desk.ask("7B lora", options) for _ in range(2))
    assert isinstance(first, Refused)
    assert first == second
