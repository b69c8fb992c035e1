"""Numbers as a language writes them: `15.7 GiB` is `15,7 GiB` in German, `29,360` is `29 360`.

They are computed and put into sentences in English; this is the last that is done to a text.
Whatever stands in a code span stays as it is.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache

from bot.compiled import compiled

UNITS = r"(?:[KMGT]i?B|kB|%|ms\b|s\b|µs|min\b|tokens|tok\b|bits?\b|bpw|bytes?\b|×)"
SCALES = r"[ \u00a0][BMKk]\b"  # apart from their number: 0.5B is a name
SPAN = compiled(r"(```.*?```|`[^`\n]*`|<[^>\s]*>|\]\([^)]*\))", re.DOTALL)
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_DECIMAL = r"\d+\.(?!\d{3}(?!\d))\d+"  # 1.024 is a sentence's own, which writes thousands so
FEWEST_GROUPED = {"es-ES": 5}  # digits, where that is more than four: 2048, 29.360
_TO = r"(?:\s?[–→-]\s?\d+(?:\.\d+)?)?"  # the other end of a range
_APART = r"(?:(?<![\w.,/-])|(?<=[\s(*]-)|(?<=^-))"  # not in a name: Qwen2.5, 3.1-8B; a minus may be
_WHOLE = r"(?![^\W²]|,\d|\.\d)"  # nothing of it follows, and no letter
_OF_UNITS = compiled(
    rf"{_APART}(?:{_GROUPED}{_WHOLE}|{_DECIMAL}(?={_TO}(?:[ \u00a0]?{UNITS}|{SCALES})))"
)
_ANY = compiled(rf"{_APART}(?:{_GROUPED}|{_DECIMAL})(?!-){_WHOLE}")
_PERCENT = compiled(r"(?<=\d)(?=%)")


def written(text: str, code: str, *, bare: bool = False) -> str:
    """`text` with its numbers as the language `code` writes them.

    Those are numbers with a unit, and large ones: `torch 2.8` is a name. `bare`: all of them,
    and no space more, as in a column.
    """
    if not any(letter.isdigit() for letter in text):
        return text
    write = _writer(code)
    numbers = _ANY if bare else _OF_UNITS
    parts = SPAN.split(text)
    parts[::2] = [numbers.sub(lambda found: write(found[0]), part) for part in parts[::2]]
    if not bare:
        parts[::2] = [_PERCENT.sub(_before_percent(code), part) for part in parts[::2]]
    return "".join(parts)


@cache
def _before_percent(code: str) -> str:
    """What stands between a number and its percent sign: `5 %` in German, `5%` in English."""
    from babel import Locale  # noqa: PLC0415  (English does without)

    pattern = Locale.parse(code, sep="-").percent_formats[None].pattern
    return "\u00a0" if pattern.endswith("%") and pattern[-2].isspace() else ""


@cache
def _writer(code: str) -> Callable[[str], str]:
    """What writes one number of English digits, with as many places behind its point."""
    from babel import Locale  # noqa: PLC0415  (English does without)
    from babel.numbers import format_decimal  # noqa: PLC0415

    locale = Locale.parse(code, sep="-")
    grouped, _, _ = locale.decimal_formats[None].pattern.partition(".")
    fewest = FEWEST_GROUPED.get(code, 4)

    def write(number: str) -> str:
        before, _, behind = number.partition(".")
        whole = grouped if len(before.replace(",", "")) >= fewest else "0"
        form = f"{whole}.{'0' * len(behind)}" if behind else whole
        return format_decimal(Decimal(number.replace(",", "")), format=form, locale=locale)

    return write
