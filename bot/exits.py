"""Exit statuses of `python -m bot`."""

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended."""

    DONE = 0  # answered, or stopped as it was asked to
    NOT_REACHED = 1  # Discord, or the bot that runs here
    NOT_UNDERSTOOD = 2
    CONFIGURATION = 78  # EX_CONFIG of sysexits.h: settings or a token that cannot be used
    INTERRUPTED = 130
