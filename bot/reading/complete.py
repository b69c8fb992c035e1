"""A line while it is typed: its last word completed, and whole lines that go on from it.

A line is listed only where it is answered, and means something else than those before it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from bot.locale import Locale
from bot.reading.card_entry import cards_for, counted_class
from bot.reading.clean import clean
from bot.reading.facts import NotUnderstoodError
from bot.reading.keys import ADAPTERS
from bot.reading.matching import Index, Tier
from bot.reading.number_lists import COMPARE
from bot.reading.options import COMMAND, Options
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.reading.suggest import LONGEST, Named, Suggester
from bot.reading.whatfits import FIT
from bot.reading.write import NUMBERS, write_line
from estimator import Catalog, can_answer, key_of

MOST_LINES = 6  # that go on from a line
LONGEST_NAME = 3  # words of a name with spaces: `llama 3.1 8`
MOST_MODELS, MOST_CARDS = 4, 4  # among those lines
WORDS = 512  # half typed, and what they may become: most people type the same ones
LINES = 512  # that were read, as each letter offers some that the one before it did
SOME_SIZE = "7B"  # put to a line that names no model yet, as in the examples
OPEN_CODES = ("empty", "no_model", "ambiguous")  # refusals of a line that only needs more
WORDED = ("method", "precision", "strategy", "checkpointing", "offload", "attention", "loss")
COUNTED = {  # numbers to begin with, of keys that are mostly said
    "rank": (16, 64, 8),
    "batch": (1, 4, 8),
    "seq": (2048, 4096, 8192),
    "accumulation": (4, 8, 16),
    "context": (8192, 32_768, 4096),
    "users": (4, 16, 1),
}
OPENING = ("method", "batch", "seq", "context", "users")  # what a line may say next
SAME = {"precision": "weights", "batch": "users", "users": "batch"}  # said by the other, too


@dataclass(frozen=True, slots=True)
class Completed:
    """What a half-typed line may become.

    `so_far` is as much of it as can be read, `unfinished` the words behind that cannot;
    without such words, `so_far` is all of it.
    """

    so_far: str
    unfinished: str
    lines: tuple[str, ...]


class Completer:
    """Completes lines from the names and words that reading knows."""

    def __init__(
        self, reader: Reader, suggester: Suggester, locale: Locale, catalog: Catalog
    ) -> None:
        self._reader = reader
        self._catalog = catalog
        self._indexes = suggester.indexes
        words, keys = _worded(locale, catalog), _keyed(locale)
        optimizers, formats = self._indexes[Named.OPTIMIZER], self._indexes[Named.FORMAT]
        self._tables = (_index(words), optimizers, formats, _index(keys))
        self._field_of = {
            **dict.fromkeys(optimizers.values, "optimizer"),
            **dict.fromkeys(formats.values, "weights"),
            **{word.text: word.field for word in (*words, *keys)},
        }
        self._openers = [
            next(word for word, field in self._field_of.items() if field == one) for one in OPENING
        ]
        self._said_alone: dict[tuple[str, str], bool] = {}
        self._matching = lru_cache(maxsize=WORDS)(self._matched)
        self._read_lately = lru_cache(maxsize=LINES)(self._read_anew)

    def complete(self, typed: str, options: Options) -> Completed:
        """Lines that `typed` may become beside `options`; never raises."""
        text = clean(typed)
        if not text or len(text) > LONGEST:
            return Completed(typed, "", ())
        whole, code, fields = self._read(text, options)
        is_read = whole is not None or code in OPEN_CODES
        head, word, before = text, "", whole
        if not (is_read and typed[-1].isspace()):
            head, word = self._open_end(text)
            before, _, fields = self._read(head, options)
        seen = {reading.line for reading in (whole, before) if reading is not None}
        lines: list[str] = []
        if code == "no_model":
            sizes = self._indexes[Named.MODEL].values[:MOST_MODELS]
            lines += self._answered((f"{text} {size}" for size in sizes), options, seen)
        if fields is not None:
            lines += self._answered(self._going_on(head, word, fields, options), options, seen)
        if whole is not None and word and before is not None and before.line == whole.line:
            is_read = False  # in a sentence an unknown word is left aside, and so adds nothing
        if is_read or not lines:
            return Completed(typed, "", tuple(lines))
        return Completed(head, word, tuple(lines))

    def _answered(self, lines: Iterable[str], options: Options, seen: set[str]) -> Iterator[str]:
        """The first lines that are answered and not `seen` in other words."""
        found = 0
        for line in lines:
            if found == MOST_LINES:
                return
            reading = self._read(line, options)[0] if len(line) <= LONGEST else None
            if reading is not None and reading.line not in seen:
                seen.add(reading.line)
                found += 1
                yield line

    def _open_end(self, text: str) -> tuple[str, str]:
        """What is said, and the last words where they begin a name: at most three, at least one."""
        words = text.split(" ")
        for count in range(min(LONGEST_NAME, len(words)), 1, -1):
            end = " ".join(words[-count:])
            if any(self._matching(end, Tier.BEGINS)):
                return " ".join(words[:-count]), end
        return " ".join(words[:-1]), words[-1]

    def _going_on(
        self, head: str, word: str, fields: Mapping[str, Any], options: Options
    ) -> Iterator[str]:
        """`head`, which says `fields`, with each thing that `word` may become beside them."""
        named = "model" in fields
        models, words, cards = self._matching(word, Tier.IN_ORDER)
        said = set(fields) | {SAME.get(name, name) for name in fields}
        said = set() if COMPARE in options else said
        new = (w for w in words if not self._is_said(self._field_of[w], said))
        task = str(options.get("task", "train"))
        told = (w for w in new if self._is_said_alone(w, task))
        several = (counted_class(card) for card in cards) if "gpus" in fields else cards
        kinds: list[Iterable[str]] = [told, islice(several, MOST_CARDS)]
        if word[:1].isdigit():
            kinds.reverse()
        start = f"{head} " if head else ""
        if not named:
            yield from (f"{start}{model}" for model in models[:MOST_MODELS])
        size = "" if named or options.get(COMMAND) == FIT else f" {SOME_SIZE}"
        yield from (f"{start}{end}{size}" for end in chain(*kinds))

    def _matched(self, word: str, worst: Tier) -> tuple[list[str], list[str], list[str]]:
        """Models, words and cards that `word` begins, best first; common ones for nothing.

        Of words, those that begin so themselves come before those that are only said so.
        """
        cards = cards_for(word, self._indexes[Named.CARD], MOST_CARDS, slips=False)
        if not word:
            return [*self._indexes[Named.MODEL].values], self._openers, cards
        models = [one.value for one in self._indexes[Named.MODEL].find(word, worst)]
        key = key_of(word)
        found = sorted(
            chain.from_iterable(table.find(word, worst) for table in self._tables),
            key=lambda one: (one.tier, not key_of(one.value).startswith(key), one.runs_on),
        )
        return models, [one.value for one in found], cards

    def _is_said(self, field: str, said: set[str]) -> bool:
        return field in said or SAME.get(field) in said

    def _is_said_alone(self, word: str, task: str) -> bool:
        """Whether `word` may be said of a model in `task`; found once."""
        known = self._said_alone.get((task, word))
        if known is None:
            reading = self._read(f"{SOME_SIZE} {word}", {"task": task})[0]
            field = self._field_of[word]
            known = reading is not None and (field not in COUNTED or field in reading.fields)
            self._said_alone[task, word] = known
        return known

    def _read(
        self, line: str, options: Options
    ) -> tuple[Reading | None, str, Mapping[str, Any] | None]:
        """The reading of a line that is answered, the code of what is wrong, and what it says.

        It says nothing where words behind it cannot put it right.
        """
        return self._read_lately(line, tuple(options.items()))

    def _read_anew(
        self, line: str, given: tuple[tuple[str, str | int], ...]
    ) -> tuple[Reading | None, str, Mapping[str, Any] | None]:
        options = dict(given)
        try:
            reading = self._reader.read(line, options)
        except NotUnderstoodError as error:
            if error.choices and COMPARE in options:  # several things, each of which is read
                return _together(error.choices), "", error.choices[0].fields
            lacks_cards = options.get(COMMAND) == FIT and "gpus" not in error.understood
            more = error.code in OPEN_CODES and (error.field != "gpus" or lacks_cards)
            return None, error.code, error.understood if more else None
        answered = can_answer(reading.request, self._catalog)
        return (reading if answered else None), "", reading.fields


def _together(choices: Sequence[Reading]) -> Reading:
    """What a line compares as one reading, whose line is that of no other comparison."""
    return replace(choices[0], line=" / ".join(one.line for one in choices))


@dataclass(frozen=True, slots=True)
class _Word:
    """What a line may say of `field`: as it is listed, and the phrases for it."""

    field: str
    text: str
    phrases: Sequence[str]


def _index(words: Iterable[_Word]) -> Index:
    return Index((word.text, word.phrases) for word in words)


def _worded(locale: Locale, catalog: Catalog) -> list[_Word]:
    """Methods, settings and engines."""
    words = [
        _Word(field, value if field == "precision" else write_line({field: value}), phrases)
        for field in WORDED
        for value, phrases in locale.reading.values[field].items()
    ]
    return words + [_Word("engine", row.id, row.aliases) for row in catalog.engines.rows]


def _keyed(locale: Locale) -> list[_Word]:
    """Keys with numbers; what begins with a method's name is left to the method."""
    phrases = {
        field: [name for name in locale.reading.keys[field] if name.split()[0] not in ADAPTERS]
        for field in COUNTED
    }
    return [
        _Word(field, NUMBERS[field].format(number), phrases[field])
        for field, numbers in COUNTED.items()
        for number in numbers
    ]
