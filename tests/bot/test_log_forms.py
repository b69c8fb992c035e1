"""Both forms of the log: an id in each line about an answer, and no words of who asked."""

import asyncio
import gc
import io
import json
import logging
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from bot.ops.answering import heard
from bot.ops.log_forms import UNPRINTABLE
from bot.ops.logs import RunningLog, set_up_logging
from bot.ops.redaction import GONE
from bot.ops.threads import Threads
from bot.sections import LogFormat, LogLevel, LogSettings
from tests.examples import examples

ASKED = "zqxjkv"  # what somebody typed
BOTH = pytest.mark.parametrize("form", LogFormat)

log = logging.getLogger("bot.test")


@pytest.fixture(autouse=True)
def last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `stop` leaves behind is gone after the test."""
    monkeypatch.setattr(logging, "lastResort", None)


def running(form: LogFormat, *, questions: bool = False) -> tuple[RunningLog, io.StringIO]:
    stream = io.StringIO()
    said = LogSettings(level=LogLevel.DEBUG, format=form, questions=questions)
    return set_up_logging(said, secrets=[SecretStr("sesame")], stream=stream), stream


class Model(BaseModel):
    """Something that is read strictly."""

    batch: int


def no_number() -> None:
    int(ASKED)


def no_key() -> None:
    dict.fromkeys("a").pop(ASKED)


def no_model() -> None:
    Model.model_validate({"batch": ASKED})


def caused() -> None:
    try:
        no_key()
    except KeyError as error:
        raise RuntimeError(ASKED) from error


def several() -> None:
    raise ExceptionGroup(ASKED, [ValueError(ASKED), KeyError(ASKED)])


def noted() -> None:
    error = ValueError("it")
    error.add_note(ASKED)
    raise error


def no_python() -> None:
    compile(f"{ASKED} {ASKED}", "asked", "exec")


FAULTS = (no_number, no_key, no_model, caused, several, noted, no_python)


def logged(fault: Callable[[], None]) -> None:
    try:
        fault()
    except Exception:
        log.exception("it went wrong")


@BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_repeats_nothing_of_who_is_answered(
    form: LogFormat, fault: Callable[[], None]
) -> None:
    running_log, stream = running(form)
    with running_log, heard():
        logged(fault)
    written = stream.getvalue()
    assert ASKED not in written
    assert fault.__name__ in written  # its places stand there
    assert "Error" in written or "Exception" in written


@BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_is_whole_where_nobody_asked_or_the_settings_say_so(
    form: LogFormat, fault: Callable[[], None]
) -> None:
    for questions in (False, True):
        running_log, stream = running(form, questions=questions)
        with running_log:
            if questions:
                with heard():
                    logged(fault)
            else:
                logged(fault)
        assert ASKED in stream.getvalue()


def test_an_errors_numbers_are_told() -> None:
    running_log, stream = running(LogFormat.CONSOLE)

    def refused() -> None:
        raise OSError(28, ASKED)

    with running_log, heard():
        logged(refused)
    assert "OSError: errno 28" in stream.getvalue()
    assert ASKED not in stream.getvalue()


@BOTH
async def test_a_task_that_nobody_looks_after_repeats_nothing(form: LogFormat) -> None:
    running_log, stream = running(form)

    async def fails(text: str) -> None:
        raise ValueError(text)

    with running_log:
        task = asyncio.create_task(fails(ASKED))
        await asyncio.wait({task})
        del task
        gc.collect()
        asyncio.get_running_loop().call_soon(int, ASKED)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    written = stream.getvalue()
    assert "ValueError" in written
    assert "Exception in callback int" in written
    assert "Task exception was never retrieved" in written
    assert ASKED not in written


@BOTH
async def test_tasks_and_threads_carry_the_id(form: LogFormat) -> None:
    running_log, stream = running(form)

    async def work() -> None:
        log.info("task")
        await asyncio.get_running_loop().run_in_executor(pool, log.info, "thread")

    with running_log, Threads(max_workers=1) as pool:
        with heard(3) as first:
            tasks = [asyncio.create_task(work())]
        with heard() as second:
            tasks.append(asyncio.create_task(work()))
        await asyncio.gather(*tasks)
        log.info("beside")
    lines = stream.getvalue().splitlines()
    assert len({first.id, second.id}) == 2
    assert sum(first.id in line for line in lines) == 2
    assert sum(second.id in line for line in lines) == 2
    if form is LogFormat.JSON:
        said = [json.loads(line) for line in lines]
        assert {one.get("shard") for one in said if one.get("id") == first.id} == {3}
        assert "id" not in said[-1]
        assert "shard" not in said[-1]
    else:
        assert f" INFO bot.test [{first.id}]: task" in stream.getvalue()
        assert lines[-1].endswith(" INFO bot.test: beside")


def test_json_has_what_programs_look_for() -> None:
    running_log, stream = running(LogFormat.JSON)
    with running_log:
        logging.getLogger("discord.gateway").warning("Shard ID %s has stopped", 7)
        logged(no_number)
        log.info("the word is sesame")
    shard, failed, secret = map(json.loads, stream.getvalue().splitlines())
    assert (shard["level"], shard["logger"], shard["shard"]) == ("warning", "discord.gateway", 7)
    assert shard["message"] == "Shard ID 7 has stopped"
    assert shard["time"].endswith("Z")
    assert len(shard["time"]) == len("2026-01-01T00:00:00.000Z")
    assert failed["message"] == "it went wrong"
    assert failed["exception"].startswith("Traceback (most recent call last):\n")
    assert secret["message"] == f"the word is {GONE}"


@BOTH
@given(text=st.text(max_size=80) | st.sampled_from(["a\nERROR bot: no", "\x1b[2J", "\r", '"}\n{"']))
@settings(max_examples=examples(200), deadline=None)
def test_nothing_that_is_logged_makes_a_line_of_its_own(form: LogFormat, text: str) -> None:
    running_log, stream = running(form)
    with running_log:
        log.info("%s", text)
    written = stream.getvalue()
    assert written.endswith("\n")
    (line,) = written[:-1].split("\n")
    assert len(line.splitlines()) == 1
    assert not UNPRINTABLE.search(line)
    if form is LogFormat.JSON and text.isprintable() and GONE not in line:
        assert json.loads(line)["message"] == text


def test_form_and_level_change_while_it_runs() -> None:
    running_log, stream = running(LogFormat.CONSOLE)
    with running_log:
        log.debug("one")
        while not stream.getvalue():
            pass
        running_log.change(LogSettings(level=LogLevel.WARNING, format=LogFormat.JSON))
        log.info("two")
        log.warning("three")
    first, second = stream.getvalue().splitlines()
    assert first.endswith("DEBUG bot.test: one")
    assert json.loads(second)["message"] == "three"
