"""What is fuzzed, each with what it is given and what must hold. A new one is a line here."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from bot.ask import Desk, open_desk
from bot.hub.decoding import decoded, shortened
from bot.hub.gguf import ShortError, read_header
from bot.hub.record import record_of
from bot.hub.repository import MissedError, Repository
from bot.hub.safetensors import counts_of_header
from bot.hub.shape import found_in
from bot.locale import load_locale
from bot.reading.changing import CHANGES
from bot.reading.oom import read_oom
from bot.reading.read import Reader
from estimator import load_catalog
from tests.fuzz import files
from tests.fuzz.pieces import foreign, pastes, replies
from tests.fuzz.safety import check_ahead, check_asking, check_reading
from tests.fuzz.texts import messages, texts

WHAT = "config.json"  # as the Hub's parsers name what they read, in their errors


@dataclass(frozen=True, slots=True)
class Target:
    """`check` raises where something does not hold of one of `inputs`.

    `from_bytes`: an input out of what a coverage-guided fuzzer offers.
    """

    inputs: Callable[[], st.SearchStrategy[object]]
    check: Callable[[object], None]
    from_bytes: Callable[[bytes], object] = lambda offered: offered


@cache
def _reader() -> Reader:
    return Reader(load_locale(), load_catalog())


@cache
def _desk() -> Desk:
    return open_desk()


def _text_of(offered: bytes) -> str:
    return offered.decode("utf-8", errors="surrogatepass" if offered[:1] == b"\xed" else "replace")


def _texts() -> st.SearchStrategy[object]:
    return texts(_reader())


def _read(text: object) -> None:
    check_reading(str(text), _reader())


def _ask(text: object) -> None:
    check_asking(str(text), _desk())


def _ahead(text: object) -> None:
    check_ahead(str(text), _desk())


def _reply(given: object) -> None:
    lines, text = given if isinstance(given, tuple) else ("train 7B qlora", given)
    check_asking(str(text), _desk(), {CHANGES: str(lines)})


def _bytes(given: object) -> bytes:
    return given if isinstance(given, bytes) else b""


def _decode(body: object) -> None:
    with suppress(MissedError):
        told = decoded(_bytes(body), WHAT)
        shortened(told, WHAT)
        record_of(told, "a/b")


def _gguf(beginning: object) -> None:
    with suppress(MissedError, ShortError):
        read_header(_bytes(beginning), WHAT)


def _safetensors(beginning: object) -> None:
    with suppress(MissedError):
        counts_of_header(_bytes(beginning), WHAT)


def _oom(text: object) -> None:
    read_oom(str(text))


def _shape(repository: object) -> None:
    if isinstance(repository, Repository):
        found_in(repository, load_catalog())


TARGETS = {
    "reading": Target(_texts, _read, _text_of),
    "asking": Target(_texts, _ask, _text_of),
    "typing": Target(_texts, _ahead, _text_of),
    "pasting": Target(lambda: pastes(_reader()), _read, _text_of),
    "languages": Target(lambda: foreign(_reader()), _read, _text_of),
    "replies": Target(lambda: replies(_reader()), _reply, _text_of),
    "oom": Target(messages, _oom, _text_of),
    "json": Target(files.objects, _decode),
    "gguf": Target(files.ggufs, _gguf),
    "safetensors": Target(files.safetensors, _safetensors),
    "shape": Target(files.repositories, _shape),
}
