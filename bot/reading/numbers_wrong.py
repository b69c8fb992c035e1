"""Numbers that their keys cannot have: `users -5`, `ngl 20%`."""

from bot.reading.clean import echo
from bot.reading.line import MOST_ECHOED, Line
from bot.reading.numbers import LENGTHS, SHARES
from bot.reading.vocabulary import Match, Meaning


def bad_value(line: Line, at: int, behind: int, match: Match, key: Meaning) -> int:
    """`users -5`, `ngl 20%`: a number that the key cannot have."""
    atom = line.atoms[behind]
    example = "8k" if key.field in LENGTHS else "0.1" if key.field in SHARES else "4"
    number = f"{atom.text[:MOST_ECHOED]}{'%' * atom.percent}"
    words = echo(line.text(at, match.length))
    line.fault("bad_number", "bad_value", key=words, example=example, number=number)
    return behind + 1 - at
