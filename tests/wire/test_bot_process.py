"""The program as it is started: `python -m bot`, its signals and exit statuses."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, test_utils

from tests.repo.product import ROOT
from tests.wire.compression import Compression
from tests.wire.our_bot import CALLBACK, QUERY
from tests.wire.standin import StandIn

PATIENCE_S = 120
CONFIGURATION = 78


@pytest.fixture
def port() -> int:
    return test_utils.unused_port()


@asynccontextmanager
async def program(
    folder: Path,
    *words: str,
    config: str = "",
    environment: Mapping[str, str] | None = None,
    typed: bytes = b"",
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`python -m bot` in a folder of its own; killed at the end if it still runs."""
    if config:
        (folder / "config.toml").write_text(config, encoding="utf-8")
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *words,
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdin is not None
    process.stdin.write(typed)
    process.stdin.close()
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    """The exit status and all that was printed."""
    output, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode is not None
    return process.returncode, output.decode()


def settings(standin: StandIn, port: int, more: str = "") -> str:
    return (
        f'[discord]\napi_base = "{standin.api_base}"\n{more}\n[health]\nport = {port}\n'
        "[limits]\nlongest_wait_s = 0.1\n"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_finishes_what_is_being_answered(
    standin: StandIn, tmp_path: Path, port: int, number: signal.Signals
) -> None:
    token = {"DISCORD_TOKEN": standin.token}
    config = settings(standin, port)
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        standin.faults.delay(0.5, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
        process.send_signal(number)
        status, output = await ended(process)
    assert exchange.status == 200
    assert status == 0
    assert standin.connections[-1].closed_by_client == 1000
    assert "Traceback" not in output
    assert standin.token not in output


async def answered(standin: StandIn) -> None:
    """Ask, and wait for the answer, which a process that just began announces first."""
    reply = await (await standin.slash("vram train", QUERY)).finished(timeout=PATIENCE_S)
    assert reply.embeds


@pytest.mark.parametrize("compression", [Compression.ZLIB, Compression.ZSTD])
async def test_it_reads_whichever_compression_it_can(
    standin: StandIn, tmp_path: Path, port: int, compression: Compression
) -> None:
    """discord.py asks for zstd where it finds that library, as it does not in the product."""
    if compression is Compression.ZLIB:
        for module in ("zstandard", "compression"):
            (tmp_path / f"{module}.py").write_text("raise ImportError", encoding="utf-8")
    token = {"DISCORD_TOKEN": standin.token, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        await answered(standin)
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        await answered(standin)
        process.terminate()
        await ended(process)
    assert {connection.compression for connection in standin.connections} == {compression}


async def test_a_stop_comes_through_while_discord_is_down(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    standin.faults.status(503, route="/users/@me", times=None)
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, config=settings(standin, port), environment=token) as process:
        await standin.until(lambda: len(standin.requests_to("/users/@me")) > 1, PATIENCE_S)
        process.terminate()
        status, _ = await ended(process)
    assert status == 0


@pytest.mark.parametrize("module", ["pydantic", "discord"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_comes_through_while_the_program_loads(
    tmp_path: Path, module: str, number: signal.Signals
) -> None:
    """The program stands still where it loads `module`, as on a slow disk."""
    loading = "import time\nprint('loading', flush=True)\n"
    (tmp_path / f"{module}.py").write_text(f"{loading}time.sleep(60)", encoding="utf-8")
    token = {"DISCORD_TOKEN": "MTIz.abc.def"}
    async with program(tmp_path, environment=token) as process:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"loading\n"
        process.send_signal(number)
        status, output = await ended(process)
    assert status == (0 if number is signal.SIGTERM else 130)
    assert output == ""


async def test_health_is_told_and_asked(standin: StandIn, tmp_path: Path, port: int) -> None:
    token = {"DISCORD_TOKEN": standin.token}
    config = settings(standin, port)
    async with program(tmp_path, config=config, environment=token) as process:
        await standin.ready(timeout=PATIENCE_S)
        await standin.slash("vram train", QUERY)
        async with ClientSession(f"http://127.0.0.1:{port}") as session:
            async with session.get("/livez") as alive, session.get("/readyz") as is_ready:
                assert (alive.status, is_ready.status) == (200, 200)
            standin.faults.gateway_unavailable.arm()
            await standin.drop()
            async with asyncio.timeout(PATIENCE_S):
                while (await session.get("/readyz")).status == 200:
                    pass
            async with session.get("/livez") as alive:
                assert alive.status == 200
        async with program(tmp_path, "health") as asking:
            assert (await ended(asking))[0] == 0
        process.terminate()
        await ended(process)
    async with program(tmp_path, "health") as asking:
        status, output = await ended(asking)
    assert status == 1
    assert output.startswith("not healthy")


@pytest.mark.parametrize("words", [(), ("sync",)])
async def test_a_wrong_token_ends_with_78(
    standin: StandIn, tmp_path: Path, port: int, words: tuple[str, ...]
) -> None:
    wrong = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.wrong-wrong-wrong-wrong-wrong-wrong-wr"
    token = {"DISCORD_TOKEN": wrong}
    async with program(
        tmp_path, *words, config=settings(standin, port), environment=token
    ) as process:
        status, output = await ended(process)
    assert status == CONFIGURATION
    assert "does not accept the token" in output
    assert wrong not in output


@pytest.mark.parametrize("words", [(), ("check",), ("sync",), ("health",)])
async def test_wrong_settings_end_with_78(tmp_path: Path, words: tuple[str, ...]) -> None:
    config = '[discord]\ntokn = "x"\n[log]\nlevel = "loud"\n'
    async with program(tmp_path, *words, config=config) as process:
        status, output = await ended(process)
    assert status == CONFIGURATION
    assert "`token`" in output
    assert "level" in output
    assert "Traceback" not in output


async def test_sync_says_what_it_changed(standin: StandIn, tmp_path: Path, port: int) -> None:
    config = settings(standin, port, f'token = "{standin.token}"')
    said = []
    for _ in range(2):
        async with program(tmp_path, "sync", config=config) as process:
            status, output = await ended(process)
        assert status == 0
        said.append(output)
    assert "Commands: added Estimate this, Explain this OOM, vram." in said[0]
    assert "Commands: nothing to change." in said[1]
    assert standin.identifies == []


async def test_sync_says_that_discord_cannot_be_reached(tmp_path: Path, port: int) -> None:
    config = f'[discord]\napi_base = "http://127.0.0.1:{port}/api/v10"\ntoken = "MTIz.abc.def"\n'
    async with program(tmp_path, "sync", config=config) as process:
        status, output = await ended(process)
    assert status == 1
    assert "could not be asked" in output
    assert "Traceback" not in output


async def test_settings_may_be_named_before_a_command_or_behind_it(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[log]\nlevel = "error"\n', encoding="utf-8")
    for words in (("--config", "own.toml", "check"), ("check", "--config", "own.toml")):
        async with program(tmp_path, *words) as process:
            status, output = await ended(process)
        assert status == 0
        assert "own.toml" in output
    async with program(tmp_path, "--config", "own.toml", "ask", "train 7B adam lora") as process:
        status, output = await ended(process)
    assert status == 0
    assert "15.7 GiB (16.9 GB)" in output


@pytest.mark.parametrize("words", [("chek",), ("--confg", "x"), ("check", "x"), ("--config",)])
async def test_a_slip_in_a_command_names_the_commands(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    async with program(tmp_path, *words) as process:
        status, output = await ended(process)
    assert status == 2
    assert "check, sync, health" in output


async def test_check_says_what_holds_and_connects_to_nothing(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    config = settings(standin, port, f'token = "{standin.token}"')
    async with program(tmp_path, "check", config=config) as process:
        status, output = await ended(process)
    assert status == 0
    assert standin.api_base in output
    assert "connects to Discord" in output
    assert standin.token not in output
    assert standin.requests == []


async def test_the_environment_wins_over_the_file(
    standin: StandIn, tmp_path: Path, port: int
) -> None:
    config = settings(standin, port, 'token = "MTIz.other.token"')
    token = {"DISCORD_TOKEN": standin.token}
    async with program(tmp_path, "sync", config=config, environment=token) as process:
        status, _ = await ended(process)
    assert status == 0


async def test_without_a_token_it_is_the_console_and_says_how_to_connect(tmp_path: Path) -> None:
    async with program(tmp_path, typed=b"train 7B adam lora\n") as process:
        status, output = await ended(process)
    assert status == 0
    steps = [output.index(f"{number}. ") for number in (1, 2, 3)]
    assert steps == sorted(steps)
    assert steps[-1] < output.index("15.7 GiB (16.9 GB)")
