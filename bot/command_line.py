"""The command line: on Discord with a token, else the console; `ask`, `oom`, `try` and others.

Exit status: 0 for an answer or a clean stop, 2 for a question that was not understood, 78
for settings or a token that cannot be used, 1 where Discord or the bot cannot be reached.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from bot.ask import Refused, open_desk
from bot.asking import ask_and_wait, heard
from bot.config import ConfigError, Settings, load_settings
from bot.diagnosing import OOM, SETTINGS
from bot.exits import Exit
from bot.hub.later import Later
from bot.ops.checking import STEPS, describe
from bot.planned import prices_of
from bot.reading.oom.pasted import MOST_CHARACTERS
from bot.reading.options import COMMAND, Options

AS_JSON = "--json"
CONFIG = "--config"
STDIN = "-"
TRY, PORT, NO_BROWSER = "try", "--port", "--no-browser"
LONGEST = 4  # bytes of a character
COMMANDS = {
    "check": "say which settings hold, without connecting",
    "sync": "make Discord's commands this program's, where they differ",
    "health": "ask the bot that runs on this machine whether it is alive",
}
UNCONNECTED = "There is no token, so this is the console. To answer on Discord:\n\n"


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
        return Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except ConfigError as error:
        print(error, file=sys.stderr)
        return Exit.CONFIGURATION


def _run(words: Sequence[str]) -> int:
    if words[:1] == ["ask"] and not {"-h", "--help"} & {*words[1:2]}:
        # taken as it is: a question may begin with a dash
        said = [word for word in words[1:] if word not in (AS_JSON, "--")]
        config = Path(said[1]) if said[:1] == [CONFIG] and len(said) > 1 else None
        question = " ".join(said if config is None else said[2:])
        return _ask(question, config, as_json=AS_JSON in words)
    parsed = _parser().parse_args(words)
    if parsed.command == "ask":
        return _ask(" ".join(parsed.question), parsed.config, as_json=parsed.json)
    if parsed.command == OOM:
        options = {COMMAND: OOM, SETTINGS: " ".join(parsed.settings)}
        return _ask(_pasted(parsed.file), parsed.config, options, as_json=parsed.json)
    if parsed.command == "picture":
        return _picture(" ".join(parsed.question), parsed.output, parsed.config)
    settings = load_settings(parsed.config, os.environ)
    match parsed.command:
        case "check":
            from bot.ops.around import trouble_around  # noqa: PLC0415  (nobody else looks)

            print(describe(settings, trouble_around(settings)), end="")
            return Exit.DONE
        case "health":
            from bot.ops.health import probe  # noqa: PLC0415  (the console needs no network)

            return probe(settings.health)
        case "sync":
            return _sync(settings)
        case "try":
            from bot.trying import try_it  # noqa: PLC0415  (the console needs no event loop)

            return try_it(settings, parsed.port, browser=not parsed.no_browser)
        case _:
            return _serve(settings, parsed.config)


def _serve(settings: Settings, config: Path | None) -> int:
    """On Discord, or in the console where there is no token."""
    token = settings.discord.token
    if token is None:
        from rich.console import Console  # noqa: PLC0415  (a bot on Discord has no terminal)

        from bot.console import converse  # noqa: PLC0415  (likewise)

        print(f"{UNCONNECTED}{STEPS}", flush=True)
        desk = open_desk(hub=Later(lambda: settings), prices=lambda: prices_of(settings))
        return converse(desk, Console(highlight=False))
    from bot.connecting import run  # noqa: PLC0415  (discord.py takes a second to load)

    file = settings.file if config is None else config  # one that was there has to be there again
    return run(settings, token, lambda: load_settings(file, os.environ))


def _sync(settings: Settings) -> int:
    token = settings.discord.token
    if token is None:
        raise ConfigError([f"To sync commands, Discord wants a token:\n\n{STEPS}"])
    from bot.connecting import sync_once  # noqa: PLC0415  (as above)

    return sync_once(settings, token)


def _pasted(file: Path) -> str:
    """A log, from a file or what is piped in; of a long one its end, where errors stand."""
    if str(file) == STDIN:
        return _end_of(sys.stdin) if sys.stdin else ""
    try:
        with file.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - LONGEST * MOST_CHARACTERS))
            return log.read().decode("utf-8", errors="replace")[-MOST_CHARACTERS:]
    except (OSError, ValueError):  # ValueError: a path that no file can have
        raise ConfigError(["The log cannot be read: it is no file, or not yours."]) from None


def _end_of(stream: TextIO) -> str:
    """What it ends in; what is piped in may be longer than this machine's memory."""
    kept = ""
    while part := stream.read(MOST_CHARACTERS):
        kept = (kept + part)[-MOST_CHARACTERS:]
    return kept


def _ask(
    question: str, config: Path | None, options: Options | None = None, *, as_json: bool
) -> int:
    from rich.console import Console  # noqa: PLC0415  (a bot on Discord has no terminal)

    from bot import console  # noqa: PLC0415  (likewise)

    def settings() -> Settings:  # read when they are needed, so that most questions need no file
        return load_settings(config, os.environ)

    desk = open_desk(hub=Later(settings), prices=lambda: prices_of(settings()))
    if console.HELPING.fullmatch(question.strip()) and not options and not as_json:
        console.help_page(desk, Console(highlight=False))
        return Exit.DONE
    if console.LEARNING.fullmatch(question.strip()) and not options and not as_json:
        console.whole_walk(desk, Console(highlight=False))
        return Exit.DONE
    if not as_json and options is None:
        understood = console.reply(desk, question, Console(highlight=False))
        return Exit.DONE if understood else Exit.NOT_UNDERSTOOD
    desk = desk if as_json else heard(desk, question)
    answered = ask_and_wait(desk, question, options)
    if not as_json:
        understood = console.display(answered, Console(highlight=False), desk.locale)
    else:
        understood = not isinstance(answered, Refused)
        print(json.dumps(answered.document(), indent=2), flush=True)
    return Exit.DONE if understood else Exit.NOT_UNDERSTOOD


def _picture(question: str, file: Path, config: Path | None) -> int:
    """Write the picture of an answer to a file."""
    from bot.pictures.saving import save  # noqa: PLC0415  (others draw nothing here)

    desk = open_desk(hub=Later(lambda: load_settings(config, os.environ)))
    said = save(desk, question, file)
    print(said.words, file=sys.stdout if said.saved else sys.stderr)
    return Exit.DONE if said.saved else Exit.NOT_UNDERSTOOD


class _Parser(argparse.ArgumentParser):
    """Says how to use it; what was typed may be anything, and is not repeated."""

    def error(self, message: str) -> NoReturn:
        del message
        commands = ", ".join((f"{OOM} FILE", "picture", TRY, *COMMANDS))
        self.exit(
            Exit.NOT_UNDERSTOOD,
            f'To ask: python -m bot ask "train 7B adam lora"\nOther commands: {commands}\n',
        )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m bot",
        description="How much GPU memory a language model takes. With a Discord token it "
        "answers there, without one in this terminal.",
    )
    _add_config(parser, None)
    commands = parser.add_subparsers(dest="command", metavar="command", parser_class=_Parser)
    ask = commands.add_parser("ask", help="answer one question and leave")
    ask.add_argument("question", nargs="+", help='such as "train 7B adam lora"')
    ask.add_argument(AS_JSON, action="store_true", help="the whole answer as one JSON document")
    oom = commands.add_parser(OOM, help="say why memory ran out, from a log")
    oom.add_argument("file", type=Path, help="the log, or - for what is piped in")
    oom.add_argument("settings", nargs="*", help='what ran, such as "7B lora bs 4 on a 3090"')
    oom.add_argument(AS_JSON, action="store_true", help="the whole answer as one JSON document")
    _add_config(oom, argparse.SUPPRESS)
    trying = commands.add_parser(TRY, help="show a page on this machine to try it on")
    trying.add_argument(PORT, help="of the page; any free one, if you don't say")
    trying.add_argument(NO_BROWSER, action="store_true", help="open no browser")
    _add_config(trying, argparse.SUPPRESS)
    picture = commands.add_parser("picture", help="draw an answer, as it is drawn on Discord")
    picture.add_argument("question", nargs="+", help='such as "train 7B adam lora"')
    picture.add_argument("-o", "--output", type=Path, required=True, help="the PNG file to write")
    _add_config(picture, argparse.SUPPRESS)
    for name, help_text in COMMANDS.items():
        _add_config(commands.add_parser(name, help=help_text), argparse.SUPPRESS)
    return parser


def _add_config(parser: argparse.ArgumentParser, default: str | None) -> None:
    """`--config`, before a command or behind it."""
    said = "settings; config.toml, if you don't say"
    parser.add_argument(CONFIG, type=Path, metavar="FILE", default=default, help=said)
