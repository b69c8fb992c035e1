"""Makes a line of anybody's text plain: same letters, digits and spaces, no markup.

What is invisible or steers the display (zero-width, bidirectional, control characters)
goes; digits of any script become ASCII; mentions, links' addresses and markdown go.
The text that comes out is for reading only, never to be shown as it is.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import groupby

from bot.compiled import compiled

MOST_CHARACTERS = 6000  # of a question, as many as an option of Discord's holds
MOST_FOLDED = 8 * MOST_CHARACTERS  # of one that may say the same over and over

_MENTION = compiled(r"<(?:@[!&]?|#|a?:\w{1,32}:)\d{1,20}>|@(?:everyone|here)", re.IGNORECASE)
_COMMAND = compiled(r"</([\w \-]{1,100}):\d{1,20}>")  # a command, shown as a link
_TIME = compiled(r"<t:-?\d{1,20}(?::[a-zA-Z])?>")
_LINK = compiled(r"\[([^\]]{0,200})\]\([^)]{0,500}\)")
_ANSI = compiled(  # colours, and what a terminal makes a link of
    r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?"
)
_COMMA = compiled("[，、]")  # between words, never within a number
_POWER = compiled(r"(?<![\w*])2\*\*(?P<power>\d{1,2})(?![\w*])")  # of code: 2**15
_KIBI = compiled(r"(?<![\w.])(?P<number>\d{1,5}) ?\* ?1024(?![\w.])")
_TIMES = compiled(r"(?<=\w)\s*[×✕]\s*(?=\w)|(?<=\d)(?:\*| \* )(?=\w)")  # not *italic*
_TIMES_OF_SIZE = compiled(r"(?<=\dg|gb)\*(?=\d)", re.IGNORECASE)  # `a100-80gb*4`
_MARKUP = compiled(r"(?:```(?:ansi|ya?ml|json|bash|sh|py|python)?\b)|[`*|~>#]+")
_MARKS_OF_MARKUP = compiled(r"[\[<@×✕*`|~>#]")  # without one of them there is none
_LATIN_MARK = compiled(r"(?<=[A-Za-z0-9])[\u0300-\u036f]+")  # what NFKC could not compose
_MARKS = 3  # marks on one letter that any script needs; more is a flood
_FLOOD = 30  # beyond which they are not even sorted
_RUN = compiled("m+")
_RAISED = compiled("[²³¹⁰⁴-⁹₀-₉]")  # they stand apart, behind a `^`: `7²B` is no 72B
_REMEMBERED = 8192  # characters
# Letters and marks that show nothing: Hangul fillers, variation selectors, a blank of Braille.
_BLANK = compiled("[\u115f\u1160\u3164\uffa0\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_PINGING = compiled(r"[`@<>\[\]()]")  # what could ping or link, where a text is shown
_TAG = compiled(r"</?[a-z][^<>\n]{0,40}>", re.IGNORECASE)  # of HTML
_SPACE = compiled(r"\s+")


class _Each(dict[int, str]):
    """What one character becomes, found once for each; for `str.translate`."""

    def __init__(self, becomes: Callable[[str], str]) -> None:
        super().__init__()
        self._becomes = becomes

    def __missing__(self, code: int) -> str:
        found = self._becomes(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = found
        return found


def folded(text: str) -> str:
    """A text that is too long, with each word that comes over and over no more than twice."""
    if not MOST_CHARACTERS < len(text) <= MOST_FOLDED:
        return text
    runs = [list(run) for _, run in groupby(text.split())]
    return " ".join(word for run in runs for word in run[:2])


def clean(text: str) -> str:
    """`text` in NFKC, without markup and invisible characters, spaces folded."""
    text = _ANSI.sub(" ", text) if "\x1b" in text else text
    if text.isascii():
        text = text.translate(_PLAIN)
    else:
        text = _RAISED.sub(r" ^ \g<0> ", _BLANK.sub("", _COMMA.sub(", ", text)))
        text = unicodedata.normalize("NFKC", _few_marks(text, _FLOOD))  # which sorts marks, slowly
        text = _BLANK.sub("", text).translate(_PLAIN)
        text = _LATIN_MARK.sub("", _few_marks(text, _MARKS))
    if "*" in text:
        text = _KIBI.sub(r"\g<number>k", _POWER.sub(r"2^\g<power>", text))
    if _MARKS_OF_MARKUP.search(text):
        text = _LINK.sub(r" \1 , ", text)
        text = _COMMAND.sub(r" \1 ", text)
        text = _TIME.sub(" ", _MENTION.sub(" ", text))
        text = _TIMES_OF_SIZE.sub(" x", _TIMES.sub("x", text))
        text = _MARKUP.sub(" ", _TAG.sub(" ", text))
    return _SPACE.sub(" ", text).strip()


def cleaned(text: str) -> str:
    """`text` clean, where it is short enough to be read or says the same over and over."""
    text = folded(text)
    return clean(text) if len(text) <= MOST_CHARACTERS else text


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Co", "Cn", "Me"):
        return ""
    if category == "Cc" or category.startswith("Z"):
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(character))
    return character


def _marked(character: str) -> str:
    return "m" if unicodedata.category(character) in ("Mn", "Mc", "Lm") else " "


_PLAIN, _MARKED = _Each(_plain), _Each(_marked)


def _few_marks(text: str, most: int) -> str:
    """`text` with no more than `most` marks on a letter."""
    end, kept = 0, []
    for run in _RUN.finditer(text.translate(_MARKED)):
        kept.append(text[end : min(run.end(), run.start() + most)])
        end = run.end()
    return "".join((*kept, text[end:]))


def echo(text: str, longest: int = 60) -> str:
    """What a person typed, safe to show back in a code span: cleaned and cut."""
    plain = _PINGING.sub("", clean(text))
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
