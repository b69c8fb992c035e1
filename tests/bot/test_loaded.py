"""What a start loads, and what it leaves until it is needed."""

import gc
import importlib
import pkgutil
import re
import subprocess
import sys

import bot
from bot.ask import Refused, open_desk
from bot.compiled import _Compiled
from estimator import engine_ids, load_catalog
from tests.repo.product import ROOT

MANY = 500  # patterns, of which a question needs one in seven
OTHERS = 200  # that are compiled at once, most of them by libraries; each of ours would be one more
STARTED = """
import gc, re, bot.command_line, bot.connecting
from bot.compiled import _Compiled
patterns = [one for one in gc.get_objects() if type(one) is _Compiled]
"""
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
    assert not modules & {"aiohttp.web", "bot.pressing.pressing", "bot.endpoint.client"}


def test_a_start_compiles_no_patterns_and_builds_no_rows() -> None:
    """Both take a while and memory, and come with what needs them: most never, or not here."""
    made = "print([one.pattern for one in patterns if one._made is not None])"
    assert "[]" in loaded(f"{STARTED}{made}")
    others = "print(*'x' * sum(isinstance(one, re.Pattern) for one in gc.get_objects()), sep='')"
    assert max(len(word) for word in loaded(f"{STARTED}{others}") if {*word} == {"x"}) < OTHERS
    rows = "from estimator.tensors import Row; rows = Row.__subclasses__()"
    built = "print([one.__name__ for one in rows if one.__pydantic_complete__])"
    assert "[]" in loaded(f"{STARTED}{rows}; {built}")


def test_every_pattern_can_be_compiled() -> None:
    """None is tried where it is written down."""
    for module in pkgutil.walk_packages(bot.__path__, "bot."):
        importlib.import_module(module.name)
    patterns = [one for one in gc.get_objects() if isinstance(one, _Compiled)]
    assert len(patterns) > MANY
    for one in patterns:
        assert re.compile(one.pattern, one.flags).flags == one.flags


def test_a_question_in_english_keeps_no_glossary() -> None:
    code = "from bot.ask import open_desk; open_desk().ask('7B lora')"
    kept = "from bot.reading.glossary import load_glossary; print(load_glossary.cache_info()[3])"
    assert "0" in loaded(f"{code}; {kept}")


def test_rows_that_say_the_same_fields_share_the_set() -> None:
    rows = load_catalog().gpus.rows
    said = [row.model_fields_set for row in rows]
    assert len({id(one) for one in said}) == len({frozenset(one) for one in said}) < len(rows)


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
