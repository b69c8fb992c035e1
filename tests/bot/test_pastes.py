"""Whole files, commands and code as people paste them, in the format of each program."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.ask import Desk, open_desk
from bot.replies import Refused, Replied

FOLDER = Path(__file__).parent / "pastes"


def _rows() -> list[Any]:
    tables = [tomllib.loads(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.toml"))]
    return [pytest.param(row, id=row["name"]) for table in tables for row in table["paste"]]


@cache
def _desk() -> Desk:
    return open_desk()


@pytest.mark.parametrize("row", _rows())
def test_a_paste_is_read_by_its_settings(row: dict[str, Any]) -> None:
    found = _desk().ask(row["text"])
    said = found.refusal.wrong if isinstance(found, Refused) else ""
    assert isinstance(found, Replied), said
    fields = dict(found.fields)
    cards = {card["id"]: card["count"] for card in fields.get("gpus", ())}
    wrong = {name: (fields.get(name), value) for name, value in row["fields"].items()
             if fields.get(name) != value}  # fmt: skip
    assert wrong == {}
    assert not set(row.get("absent", ())) & set(fields)
    assert row.get("cards", {}) == cards
    for note in row.get("notes", ()):
        assert any(note in one for one in found.notes), found.notes
