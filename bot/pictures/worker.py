"""The process that draws: specifications come in, pictures go out, until the bot is gone.

It has no token and asks nobody: what it needs comes with the question.
"""

import os
import signal
import sys

from bot.pictures.drawing import draw
from bot.pictures.frames import answer, read_question


def main() -> None:
    """Draw what is asked for. A stop of the bot ends its input, and so ends this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both; the bot decides
    questions = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
        while (specification := read_question(questions)) is not None:
            try:
                said = answer(draw(specification), drawn=True)
            except Exception as error:  # noqa: BLE001  (whatever it was, the next may be drawn)
                said = answer(f"{type(error).__name__}: {error}"[:500].encode(), drawn=False)
            answers.write(said)
            answers.flush()


if __name__ == "__main__":
    main()
