"""What an option may become while it is typed: the words as they are, then names for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.locale import Locale
from bot.reading.card_entry import several_cards
from bot.reading.clean import clean
from bot.reading.facts import NotUnderstoodError
from bot.reading.matching import Index
from bot.reading.ranking import (
    cards_index,
    common_models,
    formats_index,
    models_index,
    optimizers_index,
)
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.reading.write import write_line
from estimator import Catalog, can_answer, key_of

LONGEST = 100  # characters; no name that is listed is longer
FEW = 5  # names below which some are added that are like the text
SOME_MODEL = "1B"  # a model for options that need one beside them; any would do


class Named(StrEnum):
    """What can be named with the help of a list."""

    MODEL = "model"
    CARD = "gpus"
    FORMAT = "precision"
    OPTIMIZER = "optimizer"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A value of an option; `meaning` is how it is read, where it says that in other words."""

    value: str
    meaning: str = ""


class Suggester:
    """Lists what options may become, over the tables of one catalogue."""

    def __init__(self, reader: Reader, locale: Locale, catalog: Catalog) -> None:
        self._reader = reader
        self._catalog = catalog
        self._common_models = common_models(catalog)
        self.indexes = {
            Named.MODEL: models_index(catalog),
            Named.CARD: cards_index(catalog),
            Named.FORMAT: formats_index(
                catalog, locale, lambda name: self._meaning(Named.FORMAT, name) is not None
            ),
            Named.OPTIMIZER: optimizers_index(catalog, locale),
        }

    def suggest(self, kind: Named, typed: str, most: int) -> tuple[Suggestion, ...]:
        """At most `most` values of `kind` that `typed` may become; the usual ones for nothing.

        What can be read as it stands comes first, as it was typed.
        """
        text = clean(typed)
        if len(text) > LONGEST:
            return ()
        values = [name for name in self._values(kind, text, most) if len(name) <= LONGEST]
        meaning = self._meaning(kind, text) if text else None
        listed = [Suggestion(value) for value in dict.fromkeys(values)]
        if kind is Named.CARD and text.isdecimal() and _counts(meaning):
            return tuple(_with_count(listed, int(text))[:most])
        own = text.rstrip(",+ ")  # a separator at the end announces another card
        if meaning is not None and key_of(own) not in map(key_of, values):
            listed.insert(0, Suggestion(own, "" if _counts(meaning) else meaning))
        return tuple(listed[:most])

    def _values(self, kind: Named, text: str, most: int) -> Sequence[str]:
        index = self.indexes[kind]
        if kind is Named.CARD:
            values = several_cards(text, index, lambda part: self._reads(kind, part), most)
            return values if values and self._reads(kind, values[0]) else []
        if not text:
            sized = [value for value in index.values if "/" not in value]
            return [*sized, *self._common_models] if kind is Named.MODEL else index.values
        return _matching(index, text, most)

    def _reads(self, kind: Named, text: str) -> bool:
        return self._meaning(kind, text) is not None

    def _meaning(self, kind: Named, text: str) -> str | None:
        """`text` in the words of the canonical line; none if it is not answered as `kind`."""
        task = "infer" if kind is Named.FORMAT else "train"
        others = {"task": task} | ({} if kind is Named.MODEL else {"model": SOME_MODEL})
        try:
            reading = self._reader.read("", others | {kind.value: text})
        except NotUnderstoodError:
            return None
        answered = can_answer(reading.request, self._catalog)
        return _beside(reading, tuple(others)) if answered else None


def _matching(index: Index, text: str, most: int) -> list[str]:
    found = index.find(text)
    if len(found) < FEW:
        found += index.like(text, most)
    return [one.value for one in found]


def _beside(reading: Reading, others: Sequence[str]) -> str:
    said = {name: value for name, value in reading.fields.items() if name not in others}
    return write_line(said).lstrip(", ")


def _counts(meaning: str | None) -> bool:
    """Whether a text says how many cards, and not which."""
    return meaning is not None and meaning.startswith("world")


def _with_count(listed: list[Suggestion], count: int) -> list[Suggestion]:
    """`8` is 8 GB first, then 8 cards of any kind; a longer number is rather a name begun."""
    said = Suggestion("1 gpu" if count == 1 else f"{count} gpus")
    at = sum(one.value == f"{count}GB" for one in listed) if count < 10 else len(listed)  # noqa: PLR2004
    return [*listed[:at], said, *listed[at:]]
