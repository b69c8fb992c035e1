"""Out-of-memory messages, as each program prints them → what they say."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from bot.reading.oom import (
    apple,
    deepspeed,
    driver,
    llama_cpp_lines,
    loading,
    servers,
    vllm,
)
from bot.reading.oom.host import PINNED, read_host
from bot.reading.oom.llama_cpp import read_llama_cpp
from bot.reading.oom.message import OomMessage
from bot.reading.oom.pasted import plain
from bot.reading.oom.ranks import ranks_in
from bot.reading.oom.share import share_in
from bot.reading.oom.stems import may_hold_one
from bot.reading.oom.torch import read_torch
from bot.reading.oom.wording import Wording, read_wording
from bot.reading.oom.xla import read_xla

__all__ = ["read_oom"]

Reading = Callable[[str], OomMessage | None]


def _all(wordings: Iterable[Wording]) -> tuple[Reading, ...]:
    return tuple(partial(read_wording, wording) for wording in wordings)


# Who says most about the cause comes first: a server's own sentence before PyTorch's under it,
# and what a driver or the system says, which all others are followed by, last.
ERRORS: tuple[Reading, ...] = (
    *_all(vllm.WORDINGS),
    *_all(servers.WORDINGS),
    *_all((llama_cpp_lines.SYSTEM, llama_cpp_lines.NO_LAYERS)),
    read_llama_cpp,
    *_all((*driver.LIBRARIES, PINNED)),
    read_torch,
    *_all(apple.WORDINGS),
    read_xla,
    *_all(loading.WORDINGS),
    *_all(driver.WORDINGS),
    read_host,
)
LINES: tuple[Reading, ...] = _all(
    (
        vllm.LINES,
        servers.SGLANG_LINES,
        servers.TGI_LINES,
        servers.TENSORRT_LINES,
        llama_cpp_lines.LINES,
        llama_cpp_lines.KV_SIZE,
        deepspeed.LINES,
        apple.LINES,
        apple.CLOSE,
    )
)


def read_oom(text: str) -> OomMessage | None:
    """The out-of-memory message in `text`, whatever stands around it; None: there is none.

    Lines of a log that are no error are read too: they are a message of the kind `INFO` where
    they stand alone, and give an error the figures that it lacks.
    """
    if not may_hold_one(text):
        return None
    log = plain(text)
    error = next((found for read in ERRORS if (found := read(log))), None)
    allocator = read_torch(log)
    parts = [error, allocator, *(read(log) for read in LINES)]
    said = [part for part in parts if part is not None]
    if not said:
        return None
    message = _together(said)
    if error is not None and allocator is not None:
        message = replace(message, incomplete=error.incomplete and allocator.incomplete)
    return replace(message, counts={**ranks_in(log), **share_in(log), **message.counts})


def _together(said: list[OomMessage]) -> OomMessage:
    """The first, with what it lacks of the others."""
    message = said[0]
    for other in said[1:]:
        message = replace(
            message,
            figures={**other.figures, **message.figures},
            counts={**other.counts, **message.counts},
            words={**other.words, **message.words},
            processes=message.processes or other.processes,
        )
    return message
