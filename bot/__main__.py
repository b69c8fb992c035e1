"""`python -m bot`: the console. `python -m bot ask "…"`: one answer.

Exit status: 0 for an answer, 2 for a question that was not understood.
"""

import argparse
import io
import json
import sys
from collections.abc import Sequence
from typing import NoReturn

from rich.console import Console

from bot.ask import Replied, open_desk
from bot.console import converse, reply

ANSWERED, NOT_UNDERSTOOD, INTERRUPTED = 0, 2, 130
AS_JSON = "--json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no bars still answers
    try:
        return _run(words)
    except BrokenPipeError:  # whoever read has enough, as `head` has
        sys.stdout = None
        return ANSWERED
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: Sequence[str]) -> int:
    if words[:1] == ["ask"] and not {"-h", "--help"} & {*words[1:2]}:
        # taken as it is: a question may begin with a dash
        json_wanted = AS_JSON in words
        question = " ".join(word for word in words[1:] if word not in (AS_JSON, "--"))
        return _ask(question, as_json=json_wanted)
    _parser().parse_args(words)
    return converse(open_desk(), Console(highlight=False))


def _ask(question: str, *, as_json: bool) -> int:
    desk = open_desk()
    if not as_json:
        understood = reply(desk, question, Console(highlight=False))
    else:
        answered = desk.ask(question)
        understood = isinstance(answered, Replied)
        print(json.dumps(answered.document(), indent=2), flush=True)
    return ANSWERED if understood else NOT_UNDERSTOOD


class _Parser(argparse.ArgumentParser):
    """Says how to ask, to who forgot the word."""

    def error(self, message: str) -> NoReturn:
        del message  # it holds what was typed, as it was typed
        self.exit(NOT_UNDERSTOOD, 'To ask: python -m bot ask "train 7B adam lora"\n')


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m bot", description="How much GPU memory a language model takes."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    ask = commands.add_parser("ask", help="answer one question and leave")
    ask.add_argument("question", nargs="+", help='such as "train 7B adam lora"')
    ask.add_argument(AS_JSON, action="store_true", help="the whole answer as one JSON document")
    return parser


if __name__ == "__main__":
    sys.exit(main())
