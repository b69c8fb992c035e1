"""`python -m bot`: the console. `python -m bot ask "…"`: one answer.

Exit status: 0 for an answer, 2 for a question that was not understood.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from rich.console import Console

from bot.ask import Replied, open_desk
from bot.console import converse, reply

ANSWERED, NOT_UNDERSTOOD = 0, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no bars still answers
    try:
        return _run(options)
    except BrokenPipeError:  # whoever read has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED


def _run(options: argparse.Namespace) -> int:
    desk = open_desk()
    console = Console(highlight=False)
    if options.command is None:
        return converse(desk, console)
    question = " ".join(options.question)
    if not options.json:
        understood = reply(desk, question, console)
    else:
        answered = desk.ask(question)
        understood = isinstance(answered, Replied)
        print(json.dumps(answered.document(), indent=2), flush=True)
    return ANSWERED if understood else NOT_UNDERSTOOD


class _Parser(argparse.ArgumentParser):
    """Says how to ask, to who forgot the word."""

    def error(self, message: str) -> NoReturn:
        self.exit(NOT_UNDERSTOOD, f'{message}\nTo ask: python -m bot ask "train 7B adam lora"\n')


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m bot", description="How much GPU memory a language model takes."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    ask = commands.add_parser("ask", help="answer one question and leave")
    ask.add_argument("question", nargs="+", help='such as "train 7B adam lora"')
    ask.add_argument("--json", action="store_true", help="the whole answer as one JSON document")
    return parser


if __name__ == "__main__":
    sys.exit(main())
