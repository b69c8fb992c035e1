"""`python -m bot`: the console. `python -m bot ask "…"`: one answer.

Exit status: 0 for an answer, 2 for a question that was not understood.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from rich.console import Console

from bot.ask import Replied, open_desk
from bot.console import converse, reply

ANSWERED, NOT_UNDERSTOOD = 0, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    desk = open_desk()
    console = Console(highlight=False)
    if options.command is None:
        return converse(desk, console)
    question = " ".join(options.question)
    if not options.json:
        return ANSWERED if reply(desk, question, console) else NOT_UNDERSTOOD
    answered = desk.ask(question)
    print(json.dumps(answered.document(), ensure_ascii=False, indent=2))
    return ANSWERED if isinstance(answered, Replied) else NOT_UNDERSTOOD


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot", description="How much GPU memory a language model takes."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    ask = commands.add_parser("ask", help="answer one question and leave")
    ask.add_argument("question", nargs="+", help='such as "train 7B adam lora"')
    ask.add_argument("--json", action="store_true", help="the whole answer as one JSON document")
    return parser


if __name__ == "__main__":
    sys.exit(main())
