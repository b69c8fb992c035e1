"""What README.md shows of the program, made by the program: `python -m tests.bot.readme`.

In a text block, a line `vram> …` is a question, and what follows it is made anew: the
verdict of an answer, or the whole of a refusal. A JSON block under
`<!-- json "question" key … -->` holds those keys of the answer's document. The tables
`counted rows …`, `measured rows …` and `read rows …` are the scorers' own figures.
"""

import asyncio
import json
import re
import textwrap
from io import StringIO
from pathlib import Path

from rich.console import Console

from bot.ask import Desk, Refused, Replied, open_desk
from bot.console import MEASURED
from bot.measuring.measuring import measured
from bot.presenting.explanation import Contents, Explanation
from bot.presenting.presentation import Comparison, OomExplanation, Overview, Presentation
from bot.presenting.sheet import Sheet
from bot.surface.terminal import show_refusal
from tests.accuracy.reading_board import read_lines
from tests.accuracy.scoreboard import counted_lines, measured_lines

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PROMPT = "vram> "
COLUMNS = 44  # of a text block: a phone shows them without scrolling

SESSION = re.compile(r"(?<=^```text\n)vram> .*?(?=^```$)", re.DOTALL | re.MULTILINE)
EXCERPT = re.compile(r'^<!-- json "(.+)" (.+) -->\n\n```json\n(.*?)^```$', re.DOTALL | re.MULTILINE)
FIGURES = re.compile(
    r"(?<=^```text\n)(counted|measured|read) rows .*?(?=\n^```$)", re.DOTALL | re.MULTILINE
)


def renewed(page: str, desk: Desk) -> str:
    """`page` with every example as `desk` answers it now."""
    tables = {"counted": counted_lines, "measured": measured_lines, "read": read_lines}
    page = FIGURES.sub(lambda found: "\n".join(tables[found[1]]()), page)
    page = SESSION.sub(lambda found: _session(found[0], desk), page)
    return EXCERPT.sub(lambda found: _excerpt(found[1], found[2], desk), page)


def _session(block: str, desk: Desk) -> str:
    questions = [line for line in block.splitlines() if line.startswith(PROMPT)]
    answers = (_said(line.removeprefix(PROMPT), desk) for line in questions)
    return "\n".join(
        f"{question}\n{said}\n" for question, said in zip(questions, answers, strict=True)
    )


def _first_words(
    shown: Presentation | Comparison | Overview | Explanation | Contents | OomExplanation,
) -> str:
    match shown:
        case Presentation():
            return shown.verdict
        case Explanation():
            return shown.brief
        case Contents():
            return shown.title
        case _:
            return shown.headline


def _said(question: str, desk: Desk) -> str:
    if found := MEASURED.fullmatch(question):
        compared = asyncio.run(measured(desk, found["rest"], None, "", None))
        if not isinstance(compared, Sheet):
            raise TypeError(f"`{question}` has no comparison")
        return _filled(compared.headline)
    reply = desk.ask(question)
    if not isinstance(reply, Refused):
        shown = reply.shown
        return _filled(_first_words(shown))
    console = Console(
        file=StringIO(), width=COLUMNS, height=COLUMNS, color_system=None, legacy_windows=False
    )
    with console.capture() as capture:
        show_refusal(reply.refusal, console)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _filled(words: str) -> str:
    return textwrap.fill(words, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _excerpt(question: str, keys: str, desk: Desk) -> str:
    document = _answered(question, desk).document()
    part = {key: document[key] for key in keys.split()}
    text = json.dumps(part, ensure_ascii=False, indent=2)
    return f'<!-- json "{question}" {keys} -->\n\n```json\n{text}\n```'


def _answered(question: str, desk: Desk) -> Replied:
    reply = desk.ask(question)
    if not isinstance(reply, Replied):
        raise TypeError(f"`{question}` has no one answer: {reply.shown}")
    return reply


def main() -> None:
    """Write the examples."""
    desk = open_desk()
    README.write_text(renewed(README.read_text(encoding="utf-8"), desk), encoding="utf-8")


if __name__ == "__main__":
    main()
