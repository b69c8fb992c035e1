"""What our sockets rest on is there in discord.py, and their hearts end with the loop."""

import asyncio
import inspect
import threading
from collections.abc import Coroutine, Generator
from typing import cast

import discord
from discord.gateway import DiscordWebSocket
from discord.shard import Shard

from bot.sockets import Heart, QuickSocket, SteadySocket, quick


def test_sockets_of_the_library_are_ours() -> None:
    """Where it makes them it looks this name up."""
    quick()
    assert vars(discord.http)["DiscordClientWebSocketResponse"] is QuickSocket
    assert vars(discord.shard)["DiscordWebSocket"] is SteadySocket
    assert vars(discord.gateway)["KeepAliveHandler"] is Heart
    assert "DiscordWebSocket.from_client" in inspect.getsource(Shard.reidentify)
    assert "= KeepAliveHandler(" in inspect.getsource(DiscordWebSocket.received_message)
    assert "DiscordClientWebSocketResponse" in inspect.getsource(
        discord.http.HTTPClient.static_login
    )


class Socket:
    """As much of one as a heart knows."""

    sequence = None
    HEARTBEAT = DiscordWebSocket.HEARTBEAT
    thread_id = threading.get_ident()
    _max_heartbeat_timeout = 60.0

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.asked = threading.Event()

    def send_heartbeat(self, _: object) -> "Beat":
        self.asked.set()
        return Beat()


class Beat(Coroutine[None, None, None]):
    """One that nobody has to await; Python warns of its own."""

    def __await__(self) -> Generator[None, None, None]:
        raise AssertionError("nobody sends it")

    def send(self, _: None) -> None:
        raise AssertionError("nobody sends it")

    def throw(self, *_: object) -> None:
        raise AssertionError("nobody sends it")

    def close(self) -> None:
        """Nothing to end."""


def test_a_heart_ends_without_a_word_where_the_loop_is_closed() -> None:
    """An error in a thread fails this run; see `filterwarnings`."""
    loop = asyncio.new_event_loop()
    loop.close()
    socket = Socket(loop)
    heart = Heart(ws=cast("DiscordWebSocket", socket), interval=0.001, shard_id=0)
    heart.start()
    heart.join(10)
    assert socket.asked.is_set()
    assert not heart.is_alive()
