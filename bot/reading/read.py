"""A line of anybody's text → a request, the line that says it, and what was left aside.

clean ─▶ hub ids ─▶ atoms ─▶ facts ─▶ model ─▶ fields ─▶ Request
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz, process

from bot.locale import Locale
from bot.reading.atoms import atoms_of
from bot.reading.clean import MOST_CHARACTERS, clean, echo
from bot.reading.compose import Composer, Fields
from bot.reading.facts import NotUnderstoodError, Said, Unread
from bot.reading.models import model_of, take_hub_ids
from bot.reading.scan import Scanner
from bot.reading.vocabulary import vocabulary_of
from bot.reading.write import write_line
from estimator import BadRequest, Catalog, Request, parse_request

EXAMPLES = ("train 7B adam lora", "infer 8B q4_k_m ctx 8k", "train Qwen2.5-7B qlora bs 2 seq 4096")
SENTENCE = 2  # filler words that make a line a sentence, in which unknown words are left aside
CLOSE_ENOUGH = 60  # rapidfuzz similarity (0 to 100) below which a word is no help
MOST_NOTED = 8  # unread words that are named
SHORTEST_FAMILY = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line asks. `line` is its canonical form; `notes` say what was left aside."""

    request: Request
    fields: Mapping[str, Any]
    line: str
    notes: tuple[str, ...]


class Reader:
    """Reads lines of one language against one catalogue."""

    def __init__(self, locale: Locale, catalog: Catalog) -> None:
        self._locale = locale
        self._catalog = catalog
        self._vocabulary = vocabulary_of(locale, catalog)
        self._families = _families(catalog)

    def read(self, text: str) -> Reading:
        """The request that `text` makes; raises NotUnderstoodError, and nothing else."""
        if len(text) > MOST_CHARACTERS:
            message = self._locale.say_wrong("too_long", most=MOST_CHARACTERS, length=len(text))
            raise NotUnderstoodError("too_long", message, lines=EXAMPLES)
        plain = clean(text)
        if not plain:
            raise NotUnderstoodError("empty", self._locale.say_wrong("empty"), lines=EXAMPLES)
        return self._read(plain)

    def _read(self, plain: str) -> Reading:
        rest, hub = take_hub_ids(plain, self._catalog, self._locale)
        said = Said(facts=[fact for fact in hub if fact.field == "model"])
        scanner = self._scanner(rest, said)
        composer = Composer(said, self._catalog, self._locale)
        try:
            scanner.run()
            model = model_of(said, hub, self._catalog, self._locale)
            self._refuse_unread(said)
            fields = composer.fields()
            if model is not None:
                fields["model"] = model
            self._require(fields)
            request = _request(fields)
        except NotUnderstoodError as error:
            raise self._helped(error, composer.understood()) from None
        return Reading(request, fields, write_line(fields), tuple(self._notes(said)))

    def _scanner(self, text: str, said: Said) -> Scanner:
        return Scanner(
            atoms_of(text), self._vocabulary, self._locale, self._families, said, source=text
        )

    def _refuse_unread(self, said: Said) -> None:
        for unread in said.unread:
            if unread.near_slot is not None:
                raise self._unknown_in_slot(unread, unread.near_slot)
        if said.facts and said.fillers >= SENTENCE:
            return
        if said.unread:
            raise self._unknown_word(said.unread[0])
        if said.loose:
            number = echo(said.loose[0])
            raise NotUnderstoodError(
                "loose_number", self._locale.say_wrong("loose_number", number=number)
            )

    def _unknown_in_slot(self, unread: Unread, slot: str) -> NotUnderstoodError:
        names = {
            "optimizer": self._catalog.optimizers.ids,
            "engine": self._catalog.engines.ids,
        }.get(slot, ("train", "infer"))
        near = _closest(unread.text, names) or names[:6]
        message = self._locale.say_wrong(
            "unknown_in_slot",
            word=echo(unread.text),
            slot=slot,
            closest=", ".join(f"`{name}`" for name in near),
        )
        return NotUnderstoodError("unknown_name", message, names=near)

    def _unknown_word(self, unread: Unread) -> NotUnderstoodError:
        near = _closest(unread.text.casefold(), sorted(self._vocabulary.words))
        word = echo(unread.text)
        if not near:
            return NotUnderstoodError(
                "unknown_word", self._locale.say_wrong("unknown_word", word=word)
            )
        message = self._locale.say_wrong(
            "unknown_word_closest", word=word, closest=" / ".join(f"`{name}`" for name in near)
        )
        return NotUnderstoodError("unknown_word", message, names=near)

    def _require(self, fields: Fields) -> None:
        if not fields.get("model"):
            raise NotUnderstoodError("no_model", self._locale.say_wrong("no_model"))
        if not fields.get("task"):
            message = self._locale.say_wrong("no_task")
            lines = [write_line(fields | {"task": task}) for task in ("train", "infer")]
            raise NotUnderstoodError("ambiguous", message, lines=lines)

    def _helped(self, error: NotUnderstoodError, understood: Fields) -> NotUnderstoodError:
        """The error with what was understood, and lines to type that can be read."""
        understood = understood | error.understood
        if error.field is not None:
            understood.pop(error.field, None)
        known = {"task": "train", "model": "7B"} | understood
        lines = list(error.lines)
        if error.field is not None:
            lines += [write_line(known | {error.field: name}) for name in error.names]
        else:
            lines += [f"{write_line(known)} {name}" for name in error.names]
            lines += [write_line(known)] if understood else []
        good = [line for line in dict.fromkeys(lines) if self._reads(line)]
        return NotUnderstoodError(
            error.code,
            error.message,
            understood=understood,
            lines=(good or list(EXAMPLES))[:3],
            names=error.names,
        )

    def _reads(self, line: str) -> bool:
        """Whether `line` is a request; asked of corrected lines only, which are canonical."""
        try:
            rest, hub = take_hub_ids(line, self._catalog, self._locale)
            said = Said(facts=[fact for fact in hub if fact.field == "model"])
            self._scanner(rest, said).run()
            model = model_of(said, hub, self._catalog, self._locale)
            self._refuse_unread(said)
            fields = Composer(said, self._catalog, self._locale).fields()
            _request(fields | {"model": model})
        except NotUnderstoodError:
            return False
        return bool(model) and "task" in fields

    def _notes(self, said: Said) -> list[str]:
        notes = [
            self._locale.say("read_as", typed=echo(typed), meant=meant)
            for typed, meant in said.corrections
        ]
        left = [echo(unread.text, 24) for unread in said.unread] + [echo(n, 24) for n in said.loose]
        if left:
            words = ", ".join(f"`{word}`" for word in list(dict.fromkeys(left))[:MOST_NOTED])
            notes.append(self._locale.say("not_read", words=words))
        return notes


def _request(fields: Mapping[str, Any]) -> Request:
    try:
        return parse_request({k: v for k, v in fields.items() if k not in ("dataset", "ram")})
    except BadRequest as error:
        raise NotUnderstoodError(error.code, error.message) from None


def _closest(word: str, names: Sequence[str]) -> tuple[str, ...]:
    hits = process.extract(word, names, scorer=fuzz.ratio, limit=3, score_cutoff=CLOSE_ENOUGH)
    return tuple(name for name, _, _ in hits)


def _families(catalog: Catalog) -> frozenset[str]:
    """Words that begin a model's name: `llama`, `qwen`, `tinyllama`."""
    words = {model.family for model in catalog.models.rows}
    for model in catalog.models.rows:
        for name in model.aliases:
            first = atoms_of(name)[0]
            if not first.numeric and len(first.text) >= SHORTEST_FAMILY:
                words.add(first.text)
    return frozenset(words)
