"""What a shard of ours rests on is there in discord.py, and its waits grow to the longest."""

import inspect

from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import AutoShardedClient, EventType, Shard
from hypothesis import given
from hypothesis import strategies as st

from bot.shard import (
    AGAIN_S,
    LONGEST_S,
    OURS,
    QUICK_TRIES,
    wait_s,
)


@given(st.integers(1, 10_000))
def test_waits_grow_to_the_longest_and_no_further(tries: int) -> None:
    step = min(LONGEST_S, AGAIN_S * 2.0 ** min(30, max(0, tries - QUICK_TRIES)))
    assert step / 2 <= wait_s(tries) <= step


def test_the_first_try_waits_for_nothing() -> None:
    assert wait_s(0) == 0


def test_what_the_library_keeps_to_itself_is_as_it_was() -> None:
    """A new version that changes one of these is to be read before it is taken."""
    launch = inspect.getsource(AutoShardedClient.launch_shard)
    assert "self.__shards[shard_id] = ret = Shard(ws, self, self.__queue.put_nowait)" in launch
    assert list(inspect.signature(Shard.__init__).parameters) == [
        *("self", "ws", "client", "queue_put")
    ]
    for name in ("launch", "close", "reidentify", "_handle_disconnect"):
        assert callable(getattr(Shard, name))
    assert {EventType.reconnect, EventType.resume, EventType.identify} == set(OURS)
    again = inspect.getsource(Shard.reidentify)
    assert "exc.resume else self.ws.gateway" in again
    assert "self._handle_disconnect(e)" in again
    assert "session=self.ws.session_id" in again
    assert ReconnectWebSocket(3, resume=False).resume is False
    assert "call_hooks('before_identify'" in inspect.getsource(DiscordWebSocket.identify)
