"""What SECURITY.md says is shown by a test, and what README shows is locked down."""

import ast
import re

import pytest

from bot.hearing import INTENTS
from tests.repo.product import ROOT, tree

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROW = re.compile(r"^\| (?!what|input|---)(.+) \|$", re.MULTILINE)
LEAST = 60  # tests that are named


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED.findall(PAGE)}))
def test_every_test_that_it_names_exists(path: str) -> None:
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    there = {one.name for one in ast.walk(tree(ROOT / path)) if isinstance(one, functions)}
    named = {name for where, name in NAMED.findall(PAGE) if where == path}
    assert named - there == set()
    assert all(name.startswith("test_") for name in named)


def test_every_row_names_one() -> None:
    rows = [row for row in ROW.findall(PAGE) if not set(row) <= set("-| ")]
    assert len(rows) > 30
    assert [row for row in rows if not NAMED.search(row)] == []
    assert len(NAMED.findall(PAGE)) >= LEAST


def test_the_bot_is_invited_without_permissions() -> None:
    assert "and no permission." in README
    assert "permissions=" not in README
    assert {name for name, on in INTENTS if on} == {"guilds", "guild_messages", "dm_messages"}


def test_a_container_is_shown_locked_down() -> None:
    """In README, and in the Dockerfile's own words."""
    for text in (README, (ROOT / "Dockerfile").read_text(encoding="utf-8")):
        (shown,) = re.findall(r"docker run -d(?:[^\n]*\\\n)+[^\n]*", text)
        for option in ("--read-only", "--cap-drop ALL", "--security-opt no-new-privileges"):
            assert option in shown
        assert "DISCORD_TOKEN=" not in shown


def test_the_audit_is_of_what_is_locked() -> None:
    (command,) = re.findall(r"^\.venv/bin/pip-audit .*$", PAGE, re.MULTILINE)
    assert command.endswith(" -r requirements.lock")
    assert "--strict" in command
    assert re.search(r"^pip-audit==", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE)
