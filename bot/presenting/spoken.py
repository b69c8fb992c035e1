"""What is shown, as a language writes it: its numbers and marks, and commands to type."""

from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from bot.locale import ENGLISH, Locale
from bot.localised import typed_in
from bot.presenting.agreement import agreed
from bot.presenting.numerals import written
from bot.presenting.punctuation import punctuated

Shown = TypeVar("Shown")
LINES = frozenset({"line", "lines", "advice_line"})  # fields of what can be typed
AS_THEY_ARE = frozenset(  # fields of what is code
    {"understood", "formula", "numbers", "id", "code", "language"}
)
BARE = frozenset(  # of numbers without a unit, or in a column
    {"number", "percent", "rows", "amount", "words", "alt", "bars", "sum"}
)
CITED = frozenset({"source", "sources"})  # in the language of who wrote them
LABELS = frozenset(  # of what, and the field: a surface puts a colon behind it
    {
        ("cards", "name"),
        ("plan", "label"),
        ("opinions", "label"),
        ("rows", "name"),
        ("lines", "name"),
        ("rules", "name"),
        ("", "rules_heading"),
        ("", "understood_heading"),
        ("", "type_heading"),
    }
)
ALIGNED = frozenset({"bars"})  # fields of text in columns, whose spaces stay


def spoken(
    shown: Shown, locale: Locale, *, listed: bool = False, kept: frozenset[str] = frozenset()
) -> Shown:
    """Something shown, as it is said in the language of `locale`.

    `listed`: under an option, where lines stand behind a command that was typed already.
    `kept`: more fields that stay as they are.
    """
    if locale.code == ENGLISH:
        return shown
    said: Shown = _Speaking(locale, listed, AS_THEY_ARE | kept).walked(shown, "")
    return said


@dataclass(frozen=True, slots=True)
class _Speaking:
    locale: Locale
    listed: bool
    kept: frozenset[str]

    def walked(self, value: Any, name: str, within: str = "") -> Any:  # noqa: ANN401  (any shape)
        """`value` of the field `name`; `within`: the field that the whole stands in."""
        if isinstance(value, str) and not isinstance(value, Enum):
            return self._text(value, name, within)
        if isinstance(value, tuple):
            return tuple(self.walked(one, name, within) for one in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        parts = {
            one.name: self.walked(getattr(value, one.name), one.name, name)
            for one in fields(value)
            if one.name not in self.kept
        }
        return replace(value, **parts)

    def _text(self, text: str, name: str, within: str) -> str:
        if name in LINES:
            return text if self.listed else typed_in(text, self.locale)
        if within in CITED:
            return text
        code = self.locale.code
        said = agreed(written(text, code, bare=name in BARE))
        if name in ALIGNED:
            return said
        return punctuated(said, code, label=(within, name) in LABELS)
