"""What is asked of the desk by a press: the line of the answer, or words below it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.ask import Answered, Desk, Replied
from bot.asking import begun, knowing, known, looked_up
from bot.reading.changing import CHANGES
from bot.reading.facts import NotUnderstoodError
from bot.reading.options import Options
from bot.replies import Unfinished

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be answered by the desk that knows the model of it."""

    desk: Desk
    words: str
    options: Options


async def below(desk: Desk, lines: Sequence[str], words: str) -> Question:
    """`words` below an answer that `lines` ask for; those themselves, where they are unreadable.

    A model that no table has is asked about again, since another process may have answered.
    """
    desk = await knowing(desk, lines)
    if not _reads(desk, lines[0]):
        return Question(desk, lines[0], {})
    return Question(desk, words, {CHANGES: "\n".join(lines)})


async def whole(question: Question) -> Answered:
    """The whole answer, with the Hub where it takes that."""
    desk, words, options = question.desk, question.words, question.options
    found, unknown = await known(desk, words, options)
    return await looked_up(desk, found, words, options) if unknown else found


async def plain(desk: Desk, line: str) -> tuple[Desk, Replied | None]:
    """The answer to a line, without advice, and the desk that knows its model."""
    desk = await knowing(desk, [line])
    found = begun(desk, line)
    return desk, found if isinstance(found, Replied) else None


def at_once(question: Question) -> Answered | Unfinished:
    """What can be said at once, without advice."""
    return begun(question.desk, question.words, question.options)


def _reads(desk: Desk, line: str) -> bool:
    try:
        desk.reader.read(line)
    except NotUnderstoodError as error:
        return bool(error.choices)
    return True
