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


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("7B lora batch size: 3 lora_dropout: 0.1 max_seq_length=7", {"batch": 3, "seq": 7}),
        ("7B lora max seq length: 2048 batch size: 3 r: 8", {"seq": 2048, "batch": 3, "rank": 8}),
        ("7B lora r: 8 packing gradient_accumulation_steps: 2", {"rank": 8, "packing": True}),
        ("7B - lora - r: 8 - packing - ga: 2", {"rank": 8, "packing": True, "accumulation": 2}),
        ("model: 7B\nadapter: lora\nbf16: true with batch size 4", {"method": "lora", "batch": 4}),
    ],
)  # fmt: skip
def test_settings_of_one_line_lose_nothing_between_them(line: str, fields: dict[str, Any]) -> None:
    found = _desk().ask(f"train {line}" if "\n" not in line else line)
    assert isinstance(found, Replied)
    assert fields.items() <= dict(found.fields).items()
