"""Health over real sockets: what is served, and what who asks makes of it."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest

from bot.config import ConfigError
from bot.ops import health
from bot.ops.health import probe, serve_health
from bot.sections import HealthSettings

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server((LOOPBACK, 0)) as found:
        return int(found.getsockname()[1])


def always(*, ready: bool = True) -> Callable[[], bool]:
    return lambda: ready


@asynccontextmanager
async def served(answer: bytes, *, then_closes: bool = True) -> AsyncIterator[HealthSettings]:
    """Another program that answers every connection with `answer`."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        if then_closes:
            writer.close()

    server = await asyncio.start_server(reply, LOOPBACK, 0)
    async with server:
        yield HealthSettings(port=server.sockets[0].getsockname()[1])


async def asked(settings: HealthSettings) -> int:
    """What `probe` says, from outside the event loop, as another process would ask."""
    return await asyncio.to_thread(probe, settings)


@pytest.mark.parametrize("ready", [True, False])
async def test_each_path_answers_for_itself(*, ready: bool) -> None:
    settings = HealthSettings(port=free_port())
    async with serve_health(settings, always(ready=ready)), client(settings) as get:
        for path, yes in (("/livez", True), ("/readyz", ready)):
            async with get(path) as response:
                assert response.status == (200 if yes else 503)
                assert response.headers["Content-Type"] == "application/json"
                assert response.headers["Cache-Control"] == "no-store"
                body = json.loads(await response.read())
                assert body["ok"] is yes
                assert body["says"].endswith(".")
        async with get("/") as response:
            assert response.status == 404


@asynccontextmanager
async def client(
    settings: HealthSettings,
) -> AsyncIterator[Callable[[str], "aiohttp.client._RequestContextManager"]]:
    async with aiohttp.ClientSession(f"http://{settings.host}:{settings.port}") as session:
        yield session.get


async def test_liveness_does_not_ask_for_readiness(capsys: pytest.CaptureFixture[str]) -> None:
    settings = HealthSettings(port=free_port())
    async with serve_health(settings, always(ready=False)):
        assert await asked(settings) == 0
    assert capsys.readouterr().out == "healthy: The process runs and answers.\n"


async def test_nobody_there_is_not_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    settings = HealthSettings(port=free_port())
    async with serve_health(settings, always()):
        assert await asked(settings) == 0
    assert await asked(settings) == 1
    said = capsys.readouterr().out.splitlines()[1]
    assert said == (
        f"not healthy: nothing that answers as the bot does at port {settings.port} of 127.0.0.1."
    )


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-x\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/livez\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b"x" * 9000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort",
    ],
)
async def test_another_program_is_not_healthy(
    answer: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(answer) as settings:
        assert await asked(settings) == 1
    assert capsys.readouterr().out.startswith("not healthy: ")


async def test_who_does_not_answer_is_not_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PATIENCE_S", 0.05)
    with socket.create_server((LOOPBACK, 0)) as silent:
        assert await asked(HealthSettings(port=silent.getsockname()[1])) == 1
    assert "did not answer within 0.05 seconds" in capsys.readouterr().out


@pytest.mark.parametrize(
    "begin", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"]
)
async def test_who_answers_drop_by_drop_is_not_waited_for(
    begin: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte comes in time, and the last one never."""
    monkeypatch.setattr(health, "PATIENCE_S", 0.2)
    left = asyncio.Event()

    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.01)
        left.set()

    server = await asyncio.start_server(drip, LOOPBACK, 0)
    async with server:
        assert await asked(HealthSettings(port=server.sockets[0].getsockname()[1])) == 1
        await left.wait()
    assert "did not answer within 0.2 seconds" in capsys.readouterr().out


async def test_what_listens_everywhere_is_asked_here(capsys: pytest.CaptureFixture[str]) -> None:
    settings = HealthSettings(host="0.0.0.0", port=free_port())  # noqa: S104
    async with serve_health(settings, always()):
        assert await asked(settings) == 0
    assert await asked(settings.model_copy(update={"host": "::"})) == 1
    healthy, nobody = capsys.readouterr().out.splitlines()
    assert healthy.startswith("healthy")
    assert nobody.endswith(f"port {settings.port} of ::1.")


async def test_turned_off_it_listens_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    settings = HealthSettings(enabled=False, port=free_port())
    async with serve_health(settings, always()):
        assert await asked(settings.model_copy(update={"enabled": True})) == 1
        assert await asked(settings) == 1
    assert "`[health] enabled` is false" in capsys.readouterr().out


async def test_a_port_in_use_is_said_in_words() -> None:
    settings = HealthSettings(port=free_port())
    async with serve_health(settings, always()):
        with pytest.raises(ConfigError) as caught:
            async with serve_health(settings, always()):
                pass
    assert str(caught.value) == (
        f"[health]: port {settings.port} of 127.0.0.1 is in use by another program. Write another "
        "`port`, or `enabled = false`, under `[health]` in config.toml."
    )
    assert caught.value.__context__ is None


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 64])
async def test_a_host_that_is_not_here_is_said_in_words(host: str) -> None:
    settings = HealthSettings(host=host, port=free_port())
    with pytest.raises(ConfigError, match=r"Write another `host`"):
        async with serve_health(settings, always()):
            pass


async def test_a_name_that_no_host_can_have_is_not_healthy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert await asked(HealthSettings(host="a" * 64)) == 1
    assert capsys.readouterr().out.startswith("not healthy: nothing that answers")


async def test_a_stop_does_not_wait_for_idle_callers() -> None:
    settings = HealthSettings(port=free_port())
    async with serve_health(settings, always()):
        reader, writer = await asyncio.open_connection(LOOPBACK, settings.port)
        writer.write(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await reader.read()  # to the end: it is the server that closes
    assert answer.startswith(b"HTTP/1.1 200 OK")
    writer.close()
    await writer.wait_closed()
