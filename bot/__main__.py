"""`python -m bot`: its words are read in `bot.command_line`; a stop is heard from the first moment.

Until the bot on Discord hears signals itself there is nothing to finish: SIGTERM ends it at
once. Without a handler it would say that it was killed, and as a container's first process
it would not hear SIGTERM at all.
"""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from bot.exits import Exit
from bot.ops.last_words import take_over
from bot.pauses import wait_with_garbage

OF_THEIR_OWN = {"ask", "sync", "check", "health"}  # what they were asked for is then not done


def stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """End as a clean stop does; nothing is open that would have to be closed."""
    os._exit(Exit.DONE)


def main() -> int:
    """Hear a stop, then load and run the rest; returns the exit status."""
    wait_with_garbage()
    if not OF_THEIR_OWN & set(sys.argv[1:]):
        signal.signal(signal.SIGTERM, stop)
    take_over()
    try:
        from bot.command_line import main as run  # noqa: PLC0415  (takes longest of all)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return run()


if __name__ == "__main__":
    sys.exit(main())
