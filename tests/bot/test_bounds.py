"""Inputs that have an end here, however long they are: what is piped in, typed, or sent by HTTP."""

import asyncio
import io
import json
import re
import socket

import pytest

from bot.command_line import main
from bot.ops.health import serve_health
from bot.presses.ids import TEMPLATE
from bot.reading.clean import MOST_CHARACTERS
from bot.sections import HealthSettings

LOG = "CUDA out of memory. Tried to allocate 2.00 GiB. "


class Pipe(io.StringIO):
    """Says a log over and over, and never more of it than it is asked for."""

    longest = 0
    left = 400

    def read(self, size: int | None = -1) -> str:
        assert size is not None
        assert size > 0, "all of it is asked for at once"
        self.longest = max(self.longest, size)
        self.left -= 1
        return (LOG * size)[:size] if self.left else ""


def test_a_log_without_end_is_read_in_pieces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = Pipe()
    monkeypatch.setattr("sys.stdin", pipe)
    assert main(["oom", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert pipe.left == 0
    assert pipe.longest <= 6000


def test_a_question_of_the_command_line_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--json", "7x" * MOST_CHARACTERS]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "too_long"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /livez HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", b" 400 "),
        (b"GET /" + b"y" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b" 400 "),
        (b"POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n", b" 405 "),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", b" 404 "),
        (b"\x16\x03\x01\x00\x01\r\n\r\n", b" 400 "),
        (b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", b" 200 "),
    ],
    ids=["a long header", "a long path", "a body", "another path", "no HTTP", "a question"],
)
async def test_who_reaches_the_port_gets_no_further(sent: bytes, status: bytes) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with serve_health(HealthSettings(port=port), lambda: True):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        said = await reader.read(4096)
        writer.close()
    assert status in said.partition(b"\r\n")[0]


@pytest.mark.parametrize("name", ["v1:maths:" + "1" * 81, "v1:maths:1\n", "v1:MATHS", "v1:a:b:c"])
def test_a_buttons_name_has_a_grammar_and_an_end(name: str) -> None:
    assert re.fullmatch(TEMPLATE, name) is None
    assert re.fullmatch(TEMPLATE, "v1:maths:2")
