"""A discord.py that is otherwise inside than the endpoint needs it is told as it loads."""

import subprocess
import sys

import pytest

from tests.repo.product import ROOT

PATIENCE_S = 120
LOAD = "import bot.endpoint.internals"
GONE = """
from discord import AppInfo, app_commands, state
del state.ConnectionState.parse_interaction_create
del app_commands.CommandTree._call
AppInfo.__slots__ = ()
"""
OTHERWISE = """
from discord import state
state.ConnectionState.parse_interaction_create = lambda self, data, more: None
"""
BREAK = {
    GONE: ("parsers['INTERACTION_CREATE']`", "`CommandTree._call`", "`AppInfo.verify_key`"),
    OTHERWISE: ("`Client._connection.parsers['INTERACTION_CREATE']` is missing, or is called",),
}


def loaded(before: str) -> subprocess.CompletedProcess[str]:
    """Load it in a process of its own, where discord.py was changed first."""
    words = (sys.executable, "-c", f"import discord\n{before}\n{LOAD}")
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize("before", BREAK, ids=("gone", "otherwise"))
def test_what_is_missing_is_named_with_the_version(before: str) -> None:
    done = loaded(before)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "InternalsError: discord.py 2." in last
    assert [name for name in BREAK[before] if name not in last] == []
    assert "requirements.lock" in last
