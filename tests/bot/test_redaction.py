"""Attacks on the secrets: no traceback, repr, argument, header or other form shows one."""

import asyncio
import faulthandler
import io
import json
import logging
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import aiohttp
import pytest
from pydantic import SecretStr
from yarl import URL

from bot.command_line import main
from bot.config import load_settings
from bot.ops.logs import set_up_logging
from bot.ops.redaction import GONE, redact
from bot.pace import Backoff, Pace
from bot.pictures.hand import NEEDED, hand
from bot.sections import LogLevel, LogSettings
from bot.supervisor import Supervisor

TOKEN = ".".join(("M" * 26, "B6b_-x", "C" * 30 + "-_c"))
HUB = "hf_" + "aB3" * 11
PASSWORD = 'p/"w\\ü@rd'
STORE = f"postgresql://bot:{quote(PASSWORD, safe='')}@127.0.0.1:5432/vram"
ENVIRONMENT = {"DISCORD_TOKEN": TOKEN, "HF_TOKEN": HUB, "STORE_URL": STORE}
ROOT = Path(__file__).parents[2]


def forms(secret: str) -> list[str]:
    return [secret, quote(secret, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1],
            b64encode(secret.encode()).decode().rstrip("=")]  # fmt: skip


@pytest.mark.parametrize("secret", [TOKEN, HUB, PASSWORD, "a.b.c&d=é"])
def test_no_form_of_a_secret_is_left(secret: str) -> None:
    for form in forms(secret):
        said = redact(f"before {form} after", [secret])
        assert said == f"before {GONE} after"


def test_a_password_in_any_address_is_taken_out() -> None:
    said = redact("a proxy at http://me:pa55word@10.0.0.1:3128/x, and https://example.org/a:b@c")
    assert said == f"a proxy at http://{GONE}@10.0.0.1:3128/x, and https://example.org/a:b@c"


def test_settings_show_none() -> None:
    settings = load_settings(None, ENVIRONMENT)
    supervisor = Supervisor(lambda: None, TOKEN, Backoff(1), Pace(1))  # type: ignore[arg-type,return-value]
    for shown in (repr(settings), str(settings), repr(settings.store_address), repr(supervisor),
                  settings.model_dump_json(), repr(settings.model_dump())):  # fmt: skip
        for secret in (TOKEN, HUB, PASSWORD, quote(PASSWORD, safe=""), STORE):
            assert secret not in shown


def logged(*records: tuple[object, ...]) -> str:
    """What the log holds of records, each a text and its arguments."""
    stream, secrets = io.StringIO(), [SecretStr(TOKEN), SecretStr(PASSWORD)]
    log = logging.getLogger("aiohttp.client")
    with set_up_logging(LogSettings(level=LogLevel.DEBUG), secrets=secrets, stream=stream):
        for text, *arguments in records:
            log.debug(text, *arguments)
    return stream.getvalue()


def test_a_token_in_pieces_is_one_in_the_log() -> None:
    said = logged(
        ("login with %s.%s.%s", *TOKEN.split(".")),
        ("%s", TOKEN.encode()),
        ("%r %s", {"headers": {"Authorization": f"Bot {TOKEN}"}}, [SecretStr(TOKEN)]),
        (f"{quote(PASSWORD, safe='')} and {json.dumps(PASSWORD)} and {PASSWORD!r}",),
    )
    assert TOKEN not in said
    assert "p/" not in said
    assert "p%2F" not in said
    assert said.count(GONE) >= 6


def test_errors_of_aiohttp_show_none() -> None:
    url = URL(f"https://discord.com/api/v10/webhooks/1/aW50ZXJhY3Rpb246{'x9' * 30}/messages")
    headers = {"Authorization": f"Bot {TOKEN}"}
    info = aiohttp.RequestInfo(url, "POST", headers, url)  # type: ignore[arg-type]
    error = aiohttp.ClientResponseError(info, (), status=500, message=f"at {url} with {headers}")
    said = logged(("%r", error), ("%s", error), ("%r", info))
    assert "x9x9" not in said
    assert TOKEN not in said


async def test_the_loops_debug_shows_none() -> None:
    """A coroutine's arguments are in no repr; an error that nobody fetched is in the log."""

    async def log_in(token: str) -> None:
        raise RuntimeError(f"cannot log in with {token}")

    stream = io.StringIO()
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    with set_up_logging(
        LogSettings(level=LogLevel.DEBUG), secrets=[SecretStr(TOKEN)], stream=stream
    ):
        task = asyncio.create_task(log_in(TOKEN))
        await asyncio.wait({task})
        shown = repr(task)
        del task
        await asyncio.sleep(0)
    loop.set_debug(False)
    assert "never retrieved" in stream.getvalue()
    assert TOKEN not in stream.getvalue()
    assert TOKEN not in redact(shown)


def test_a_dump_of_all_stacks_shows_no_values(tmp_path: Path) -> None:
    def inner(token: str) -> str:
        with (tmp_path / "dump").open("w+") as file:
            faulthandler.dump_traceback(file)
            file.seek(0)
            return token and file.read()

    said = inner(TOKEN)
    assert "in inner" in said
    assert TOKEN not in said


CRASH = """
import os, sys, threading, bot.connecting
def fail(text):
    raise RuntimeError(text)
def run(*_):
    said = os.environ["SEEN"]
    thread = threading.Thread(target=fail, args=(said,))
    thread.start()
    thread.join()
    heard = type("Unheard", (), {"__del__": lambda self: fail(said)})()
    del heard
    error = RuntimeError(said)
    error.add_note(said)
    raise error from ValueError(said)
bot.connecting.run = run
from bot.__main__ import main
sys.argv = ["bot"]
sys.exit(main())
"""


def test_a_crash_is_told_without_one() -> None:
    """In a thread, where nobody hears it, and as `python -m bot` would end by it."""
    ended = subprocess.run(
        [sys.executable, "-c", CRASH],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={"DISCORD_TOKEN": TOKEN, "SEEN": f"{TOKEN} and {HUB}", "PATH": ""},
    )  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr.count(f"RuntimeError: {GONE} and {GONE}") == 3
    assert f"ValueError: {GONE} and {GONE}" in ended.stderr
    assert not any(secret in ended.stdout + ended.stderr for secret in (TOKEN, HUB))


@pytest.mark.parametrize("words", [["--token", TOKEN], [TOKEN], ["check", TOKEN], ["try", TOKEN]])
def test_a_token_among_the_arguments_is_refused_and_not_repeated(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr()
    assert TOKEN not in said.out + said.err


async def test_the_process_that_draws_gets_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, secret in ENVIRONMENT.items():
        monkeypatch.setenv(variable, secret)
    found = tmp_path / "environment"
    script = f"import json, os; open({str(found)!r}, 'w').write(json.dumps(dict(os.environ)))"
    async with hand((sys.executable, "-c", script)) as drawer:
        await drawer.ended()
    environment = json.loads(found.read_text())
    assert set(environment) <= {*NEEDED, "LC_CTYPE"}  # the last is Python's own
    assert not {*ENVIRONMENT} & {*environment}
