"""Out-of-memory messages, as each program prints them → what they say."""

from dataclasses import replace

from bot.reading.oom.message import OomMessage
from bot.reading.oom.pasted import plain
from bot.reading.oom.ranks import ranks_in
from bot.reading.oom.torch import read_torch

__all__ = ["read_oom"]


def read_oom(text: str) -> OomMessage | None:
    """The out-of-memory message in `text`, whatever stands around it; None: there is none."""
    log = plain(text)
    message = read_torch(log)
    return message and replace(message, counts={**ranks_in(log), **message.counts})
