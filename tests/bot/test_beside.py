"""What a person says beside a paste, and between its settings."""

from functools import cache
from typing import Any

import pytest

from bot.ask import Desk, open_desk
from bot.replies import Replied


@cache
def _desk() -> Desk:
    return open_desk()


@pytest.mark.parametrize(
    ("own", "fields"),
    [
        ("bs: 4", {"batch": 4}),
        ("ga: 8", {"accumulation": 8}),
        ("ctx: 4k", {"seq": 4096}),
        ("seed: 3", {}),
        ("rank: 7", {}),  # of a process, as launchers print it
    ],
)
def test_a_short_word_between_settings_is_that_of_a_line(own: str, fields: dict[str, Any]) -> None:
    plain = _desk().ask("lora_alpha: 32\nload_in_4bit: true\ntrain 7B")
    found = _desk().ask(f"lora_alpha: 32\n{own}\nload_in_4bit: true\ntrain 7B")
    assert isinstance(plain, Replied)
    assert isinstance(found, Replied)
    assert found.fields == {**plain.fields, **fields}
