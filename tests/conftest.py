"""No test asks the real Hub: whoever asks without saying whom finds nobody there."""

import pytest

from bot.hub import hub

NOBODY = "http://127.0.0.1:9"  # the port where nothing that is sent is ever answered


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host that is fixed in the program is another one here."""
    monkeypatch.setattr(hub, "BASE", NOBODY)
