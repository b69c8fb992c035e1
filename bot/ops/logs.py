"""The log: one line a record, on standard error, with no secret in it.

Whoever logs only puts the record in a queue; a thread writes it, so a terminal or a pipe that
is slow never holds up the event loop. If the queue is full, records are counted and left out.

Nothing that people type is logged. The bot's own records hold none of it, errors are told without
their words (`bot.ops.log_forms`), and of discord.py the two loggers that write whole messages are
held at `info`, also where the level is `debug`.
"""

import logging
import queue
import sys
from collections.abc import Sequence
from logging.handlers import QueueHandler, QueueListener
from types import TracebackType
from typing import Self, TextIO

from pydantic import SecretStr

from bot.ops.log_forms import Form, JsonLine, OneLine, prepared
from bot.sections import LogFormat, LogSettings

FORMS: dict[LogFormat, type[Form]] = {LogFormat.CONSOLE: OneLine, LogFormat.JSON: JsonLine}
MOST_WAITING = 10_000  # records
WHOLE_MESSAGES = ("discord.gateway", "discord.http")
UNCONCERNING = (  # said at each start: we neither speak nor keep lists of servers
    "PyNaCl is not installed, voice will NOT be supported",
    "davey is not installed, voice will NOT be supported",
    "Guilds intent seems to be disabled. This may cause state related issues.",
)
LATE = (10062, 40060)  # Discord's codes for what is too late or answered already: routine


class RunningLog:
    """The log while it runs; `stop` writes what is left and puts things back."""

    def __init__(self, settings: LogSettings, secrets: Sequence[str], stream: TextIO) -> None:
        waiting: queue.Queue[logging.LogRecord | None] = queue.Queue(MOST_WAITING)
        self._writer = _Writer(stream)
        self._secrets = secrets
        self._entrance = _Entrance(waiting)
        self._entrance.addFilter(_concerns_us)
        self._listener = _Listener(waiting, self._writer)
        self._settings = settings
        self._before: dict[str, int] = {}

    def start(self) -> None:
        self._before = {name: logging.getLogger(name).level for name in ("", *WHOLE_MESSAGES)}
        self.change(self._settings)
        logging.getLogger().addHandler(self._entrance)
        self._listener.start()

    def change(self, settings: LogSettings) -> None:
        """Write as these settings say, from the next record on."""
        self._entrance.questions = settings.questions
        self._writer.setFormatter(
            FORMS[settings.format](self._secrets, questions=settings.questions)
        )
        level = logging.getLevelNamesMapping()[settings.level.upper()]
        for name in self._before:
            logging.getLogger(name).setLevel(max(level, logging.INFO) if name else level)

    def stop(self) -> None:
        """Write everything that waits. What is logged later is written at once, likewise clean."""
        if not self._before:
            return
        logging.getLogger().removeHandler(self._entrance)
        for name, level in self._before.items():
            logging.getLogger(name).setLevel(level)
        self._before = {}
        self._listener.stop()
        if self._entrance.lost:
            self._writer.handle(_notice(f"{self._entrance.lost} records were not written"))
        logging.lastResort = self._writer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def set_up_logging(
    settings: LogSettings, *, secrets: Sequence[SecretStr] = (), stream: TextIO | None = None
) -> RunningLog:
    """Begin to log; `secrets` are taken out wherever they occur, whatever they look like."""
    hidden = [text for secret in secrets if (text := secret.get_secret_value())]
    log = RunningLog(settings, hidden, sys.stderr if stream is None else stream)
    log.start()
    return log


class _Writer(logging.StreamHandler[TextIO]):
    """Writes; a stream that is gone ends no program."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        """Stay silent: logging's own report would show the record as it came in."""


class _Entrance(QueueHandler):
    """Takes records in without waiting; `lost` counts those that found no room."""

    lost = 0
    questions = False

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Its texts, made here: what it is about may change or be gone when it is written."""
        return prepared(record, questions=self.questions)

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            self.lost += 1

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        """Say where a record could not be formed, and not what was in it."""
        where = f"{record.module}, line {record.lineno}"
        self.enqueue(_notice(f"a record of {record.name} could not be formed ({where})"))


class _Listener(QueueListener):
    """Ends after everything that waits, also where the queue is full."""

    def __init__(self, waiting: queue.Queue[logging.LogRecord | None], writer: _Writer) -> None:
        super().__init__(waiting, writer)
        self._waiting = waiting

    def enqueue_sentinel(self) -> None:
        self._waiting.put(None)


def _concerns_us(record: logging.LogRecord) -> bool:
    """Not what discord.py says at each start, nor of a list that nobody waits for any more."""
    if not record.name.startswith("discord."):
        return True
    error = record.exc_info[1] if record.exc_info else None
    return record.msg not in UNCONCERNING and getattr(error, "code", None) not in LATE


def _notice(text: str) -> logging.LogRecord:
    return logging.LogRecord(__name__, logging.ERROR, __file__, 0, text, None, None)
