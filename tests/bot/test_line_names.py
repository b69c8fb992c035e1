"""Every line that an estimate may have has a name for people."""

import re
from pathlib import Path

from bot.ask import open_desk

ROOT = Path(__file__).parents[2]
KEY = re.compile(r'\bkey="([a-z_0-9]+)"')
NOT_SHOWN = {  # of a card, of a file on disk, and of a figure that is not shown line by line
    *("cuda_context", "file_metadata", "cache_pool"),
}


def test_every_key_has_a_name() -> None:
    reply = open_desk().locale.reply
    keys = {
        key
        for path in (ROOT / "estimator").rglob("*.py")
        for key in KEY.findall(path.read_text(encoding="utf-8"))
    }
    prefixes = tuple(reply.line_prefixes)
    nameless = {key for key in keys if key not in reply.line_names and not key.startswith(prefixes)}
    assert nameless == NOT_SHOWN
