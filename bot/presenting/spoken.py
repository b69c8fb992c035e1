"""What is shown, as a language writes it: its numbers and marks, and commands to type."""

from dataclasses import dataclass, fields, is_dataclass, replace
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
BARE = frozenset(  # of numbers without a unit
    {"number", "rows", "amount", "words", "alt", "bars", "sum"}
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

    def walked(self, value: Any, name: str) -> Any:  # noqa: ANN401  (of any shape)
        """`value` of the field `name`."""
        if isinstance(value, str):
            return self._text(value, name)
        if isinstance(value, tuple):
            return tuple(self.walked(one, name) for one in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        parts = {
            one.name: self.walked(getattr(value, one.name), one.name)
            for one in fields(value)
            if one.name not in self.kept
        }
        return replace(value, **parts)

    def _text(self, text: str, name: str) -> str:
        if name in LINES:
            return text if self.listed else typed_in(text, self.locale)
        numbered = agreed(written(text, self.locale.code, bare=name in BARE))
        return numbered if name in ALIGNED else punctuated(numbered, self.locale.code)
