"""Two processes at one PostgreSQL server: they take turns there, and see what the other keeps."""

from pathlib import Path

import pytest

from tests.postgres.server import Server
from tests.wire.standin import StandIn
from tests.wire.test_bot_processes import keeps_what_the_other_sees
from tests.wire.two_processes import SHARDS, two_processes

pytestmark = pytest.mark.postgres


async def test_what_one_keeps_the_other_sees(server: Server, tmp_path: Path) -> None:
    async with (
        StandIn() as standin,
        two_processes(standin, tmp_path, server.url(server.new_database())),
    ):
        await keeps_what_the_other_sees(standin)
        assert len(standin.identifies) == SHARDS
    assert standin.violations == []
