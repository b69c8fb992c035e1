"""The log: one clean line a record, no secret in any, and nobody waits for it."""

import io
import logging
import re
import threading

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.ops import logs
from bot.ops.redaction import GONE, redact
from bot.sections import LogLevel, LogSettings
from tests.examples import examples

TOKEN = ".".join(("A" * 26, "B" * 6, "C" * 38))
INTERACTION = "aW50ZXJhY3Rpb246" + "9dEx" * 40
OTHER = "x9" * 34  # a webhook's: 68 characters
SESSION = "0123456789abcdef" * 2
DULL = "a.b.c"
SHAPES = examples(500)

log = logging.getLogger("bot.test")


@pytest.fixture(autouse=True)
def last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `stop` leaves behind is gone after the test."""
    monkeypatch.setattr(logging, "lastResort", None)


class Stuck(io.StringIO):
    """A stream that takes nothing until it is let go; `asked` once somebody writes."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let_go = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.asked.set()
        self.let_go.wait()
        return super().write(text)


def running(
    level: LogLevel = LogLevel.DEBUG, stream: io.StringIO | None = None, secret: str = ""
) -> tuple[logs.RunningLog, io.StringIO]:
    """A log, and the stream that it is written to."""
    stream = io.StringIO() if stream is None else stream
    secrets = [SecretStr(secret)]
    return logs.set_up_logging(LogSettings(level=level), secrets=secrets, stream=stream), stream


def fail(text: str) -> None:
    raise RuntimeError(text)


def log_failure(text: str) -> None:
    """A record with a traceback whose error says `text`."""
    try:
        fail(text)
    except RuntimeError:
        log.exception("it went wrong")


def test_a_record_is_one_line_with_its_time_level_and_name() -> None:
    running_log, stream = running()
    with running_log:
        log.info("ready: %d shards", 2)
    line = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO bot\.test: ready: 2 shards\n"
    assert re.fullmatch(line, stream.getvalue())


def test_a_traceback_stands_in_the_same_line() -> None:
    running_log, stream = running()
    with running_log:
        log_failure("two\nlines \x1b[31m of trouble")
    (line,) = stream.getvalue().splitlines()
    assert r"it went wrong\nTraceback (most recent call last):\n" in line
    assert r"two\nlines \x1b[31m of trouble" in line


@pytest.mark.parametrize(
    ("level", "written"), [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e")]
)
def test_less_than_the_level_is_left_out(level: str, written: str) -> None:
    running_log, stream = running(LogLevel(level))
    with running_log:
        for write, text in (
            (log.debug, "d"),
            (log.info, "i"),
            (log.warning, "w"),
            (log.error, "e"),
        ):
            write(text)
    assert "".join(line[-1] for line in stream.getvalue().splitlines()) == written


def test_it_goes_to_standard_error_and_puts_all_back(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("", *logs.WHOLE_MESSAGES)
    before = [(logging.getLogger(n).level, logging.getLogger(n).handlers.copy()) for n in names]
    with logs.set_up_logging(LogSettings()) as running_log:
        log.info("hello")
    running_log.stop()  # a second time does nothing
    assert capsys.readouterr().err.endswith(" INFO bot.test: hello\n")
    assert [(logging.getLogger(n).level, logging.getLogger(n).handlers) for n in names] == before


@pytest.mark.parametrize("level", LogLevel)
def test_whole_messages_are_never_written(level: LogLevel) -> None:
    running_log, stream = running(level)
    with running_log:
        for name in logs.WHOLE_MESSAGES:
            logging.getLogger(name).debug("WebSocket Event: %s", {"content": "what people ask"})
    assert stream.getvalue() == ""


def test_what_does_not_concern_us_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(discord.VoiceClient, "warn_nacl", True)
    monkeypatch.setattr(discord.VoiceClient, "warn_dave", True)
    running_log, stream = running()
    with running_log:
        discord.Client(intents=discord.Intents.none())
        logging.getLogger("discord.client").warning("this does")
    assert set(logs.UNCONCERNING) < set(caplog.messages)
    assert [line.split("discord.client: ")[1] for line in stream.getvalue().splitlines()] == [
        "this does"
    ]


def test_whoever_logs_never_waits() -> None:
    stuck = Stuck()
    running_log, stream = running(stream=stuck)
    for number in range(100):
        log.info("%d", number)
    stuck.asked.wait()
    assert stream.getvalue() == ""
    stuck.let_go.set()
    running_log.stop()
    assert [line.split()[-1] for line in stream.getvalue().splitlines()] == [
        str(number) for number in range(100)
    ]


def test_records_that_find_no_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_WAITING", 2)
    stuck = Stuck()
    running_log, stream = running(stream=stuck)
    log.info("first")
    stuck.asked.wait()
    for _ in range(5):
        log.info("next")
    stuck.let_go.set()
    running_log.stop()
    said = [line.partition(": ")[2] for line in stream.getvalue().splitlines()]
    assert said == ["first", "next", "next", "3 records were not written"]


def test_a_record_that_cannot_be_formed_is_named_and_not_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    running_log, stream = running()
    with running_log:
        log.info("%d", "what people ask")
    assert re.search(
        r"ERROR bot\.ops\.logs: a record of bot\.test could not be formed \(test_logs, line \d+\)",
        stream.getvalue(),
    )
    assert "what people ask" not in stream.getvalue() + capsys.readouterr().err


def test_a_stream_that_is_gone_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    running_log, stream = running()
    stream.close()
    with running_log:
        log.info("hello")
    assert capsys.readouterr().err == ""


def test_what_comes_after_the_end_is_clean_too(monkeypatch: pytest.MonkeyPatch) -> None:
    running_log, stream = running(secret=DULL)
    running_log.stop()
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    log.warning("late, with %s and %s", TOKEN, DULL)
    assert stream.getvalue().endswith(f"late, with {GONE} and {GONE}\n")


SECRET = {
    "a path": f"/webhooks/1234/{OTHER}",
    "an address": f"https://discord.com/api/v10/interactions/12/{OTHER}/callback?with_response=1",
    "a message": f"https://discord.com/api/v10/webhooks/12/{OTHER}/messages/@original",
    "a header": f"{{'Authorization': 'Bot {OTHER}', 'X': 'y'}}",
    "another header": f"authorization: Bearer {OTHER}",
    "raw headers": f"((b'Authorization', b'Bot {OTHER}'), (b'X', b'y'))",
    "an object": f'{{"authorization":"{OTHER}"}}',
    "a body": f'{{"id":"1","token":"{OTHER}","type":2}}',
    "a value": f"{{'interaction_token': '{OTHER}'}}",
    "a body in a body": f'"{{\\"token\\": \\"{OTHER}\\"}}"',
    "an argument": f"login(token='{OTHER}')",
    "a bot's token": "Bot a-1.b_2.c-3",
    "an interaction's token": INTERACTION,
    "a token": TOKEN,
    "a token in a sentence": f"cannot log in with <{TOKEN}>, sorry",
}


@pytest.mark.parametrize("text", SECRET.values(), ids=SECRET.keys())
def test_no_shape_of_a_secret_is_written(text: str) -> None:
    running_log, stream = running()
    with running_log:
        log.debug(text)
        log.debug("in an argument: %s, %r", text, {"deep": [text]})
        log_failure(text)
    written = stream.getvalue()
    assert written.count(GONE) >= 4
    assert not any(secret in written for secret in (OTHER, TOKEN, INTERACTION, "a-1.b_2.c-3"))


@pytest.mark.parametrize(
    "text",
    [
        "Shard ID 0 has connected to Gateway (Session ID: %s).",
        "Shard ID 0 has successfully RESUMED session %s.",
        '{"seq": 3, "session_id": "%s"}',
    ],
)
def test_a_session_is_a_secret_too(text: str) -> None:
    assert redact(text % SESSION) == text % GONE


@pytest.mark.parametrize(
    "text",
    [
        "GET https://discord.com/api/v10/gateway/bot has returned 200",
        "Shard ID 0 has connected to Gateway.",
        "PUT https://discord.com/api/v10/applications/12345/commands has returned 200",
        'File "bot/ops/logs.py", line 12, in discord.app_commands.commands',
        "Improper token has been passed. Authorization failed.",
        "Bot is ready, discord.py 2.7.1",
    ],
)
def test_other_words_are_kept(text: str) -> None:
    assert redact(text) == text


def test_a_secret_that_looks_like_none_is_taken_out_by_its_text() -> None:
    assert redact(f"it is {DULL}, sorry", [DULL]) == f"it is {GONE}, sorry"


LETTERS = st.text("abcXYZ019_-", min_size=40, max_size=80)
AROUND = st.text(st.characters(codec="utf-8"), max_size=20)


@given(before=AROUND, secret=LETTERS, after=AROUND, shape=st.sampled_from(list(SECRET.values())))
@settings(max_examples=SHAPES, deadline=None)
def test_whatever_stands_around_it(before: str, secret: str, after: str, shape: str) -> None:
    for known in (OTHER, TOKEN, INTERACTION):
        token = {OTHER: secret, TOKEN: f"{secret}.a1_-Z.{secret}"}.get(known, known)
        text = f"{before} {shape.replace(known, token)} {after}"
        if known in shape:
            assert token not in redact(text)


@given(text=st.text(st.characters(codec="utf-8"), max_size=200))
@settings(max_examples=SHAPES, deadline=None)
def test_any_text_is_one_printable_line(text: str) -> None:
    running_log, stream = running()
    with running_log:
        log.info("%s", text)
    assert stream.getvalue().endswith("\n")
    assert len(stream.getvalue()[:-1].splitlines()) == 1


def test_long_texts_come_to_an_end() -> None:
    for part in ("a", "a.", "token", "authorization ", "/webhooks/", "Bot ", "a" * 17 + "."):
        text = part * (200_000 // len(part))
        assert len(redact(text)) <= len(text)


@pytest.mark.parametrize("token", ["hf_" + "aB3" * 11, "api_org_" + "Zz9" * 10])
def test_the_hubs_token_is_taken_out(token: str) -> None:
    for text in (token, f"Bearer {token}", f"('Authorization', 'Bearer {token}')", f"x={token},"):
        assert token not in redact(text)
    assert redact("hf_config and hf_hub stay") == "hf_config and hf_hub stay"
