"""A line of anybody's text → a request, the line that says it, and what was left aside.

clean ─▶ hub ids ─▶ atoms ─▶ facts ─▶ model ─▶ fields ─▶ Request
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice

from bot.locale import Locale
from bot.reading.clean import MOST_CHARACTERS, cleaned, echo
from bot.reading.comparing import held_against_itself
from bot.reading.compose import BLAMED, Fields, compose, understood
from bot.reading.facts import NotUnderstoodError
from bot.reading.helping import MOST_LINES, examples_of, helped, undoubted
from bot.reading.host import host_of
from bot.reading.lately import Lately
from bot.reading.models import model_of, strange_of, tells_itself
from bot.reading.neighbours import beside_others
from bot.reading.noting import NO_FIELDS, notes_of
from bot.reading.number_lists import COMPARE
from bot.reading.options import COMMAND, MOST_WORDS, Options, OptionSaid, phrase, put_in_place
from bot.reading.pasting.beside import join
from bot.reading.pasting.unpaste import taken_apart
from bot.reading.reading import Reading
from bot.reading.refusing import refuse_unread
from bot.reading.requesting import request_of
from bot.reading.scope import refuse_others
from bot.reading.sides import Sides, is_varied, of_compared
from bot.reading.vocabulary import Vocabulary, vocabulary_of
from bot.reading.walk import Scanned, Walk
from bot.reading.whatfits import EXAMPLES as FIT_EXAMPLES
from bot.reading.whatfits import (
    FIT,
    asks_for_table,
    lines_with_cards,
    table_line,
    tables_of,
)
from bot.reading.window import settle_by_model
from bot.reading.write import write_line
from estimator import Catalog, Model, can_answer

REMEMBERED = 2048  # lines that were offered, and whether they can be read
OPTIONS = 256  # what was found in options, nearly always in one of few: `train`
SOME_SIZE = "7B"  # put to a table that names no model


class Reader:
    """Reads lines of one language against one catalogue."""

    def __init__(
        self,
        locale: Locale,
        catalog: Catalog,
        vocabulary: Vocabulary | None = None,
        looked_up: str = "",
    ) -> None:
        """`vocabulary`: made of the catalogue, which takes a while, unless there is one."""
        self._locale = locale
        self._catalog = catalog
        self._vocabulary = vocabulary or vocabulary_of(locale, catalog)
        self._scan = Walk(locale, catalog, self._vocabulary).scan
        self._looked_up = looked_up
        self._scan_option = lru_cache(maxsize=OPTIONS)(self._scan)
        self._offers = lru_cache(maxsize=REMEMBERED)(self._can_read)
        self._lately = Lately(self._read)

    def knowing(self, model: Model) -> "Reader":
        """A reader that knows one model more, by its id alone."""
        return Reader(self._locale, self._catalog.including(model), self._vocabulary, model.id)

    def speaking(self, locale: Locale) -> "Reader":
        """A reader of the same words, which says what it did with them in another language."""
        return Reader(locale, self._catalog, self._vocabulary, self._looked_up)

    @property
    def words(self) -> frozenset[str]:
        """The single words that mean something."""
        return frozenset(self._vocabulary.words)

    def read(self, text: str, options: Options | None = None) -> Reading:
        """The request that `text` makes; raises NotUnderstoodError, and nothing else.

        `options`: values by the names of `options.FACTS`; each wins over the text.
        """
        return self._lately.read(text, options)

    def _read(self, text: str, options: Options | None) -> Reading:
        text, pasted = taken_apart(text)
        plain = cleaned(text)
        if len(plain) > MOST_CHARACTERS:  # one letter may stand for many
            message = self._locale.say_wrong("too_long", most=MOST_CHARACTERS, length=len(plain))
            raise NotUnderstoodError("too_long", message, lines=examples_of(options))
        if not (plain or pasted or set(options or ()) - {"task", COMPARE, COMMAND}):
            fit = (options or {}).get(COMMAND) == FIT
            message = self._locale.say_wrong("empty")
            lines = FIT_EXAMPLES if fit else examples_of(options)
            raise NotUnderstoodError("empty", message, lines=lines)
        scanned = self._scan(plain, compares=COMPARE in (options or {}))
        if pasted is not None:
            scanned = join(scanned, pasted, self._scan, self._catalog, self._locale)
        scanned = replace(scanned, fit=scanned.fit or (options or {}).get(COMMAND) == FIT)
        try:
            for name, value in (options or {}).items():
                if name not in (COMMAND, COMPARE):
                    self._let_win(scanned, name, value)
            return self._unless_compared(scanned)
        except NotUnderstoodError as error:
            fields = self._understood(scanned)
            if error.code == "loose_number":
                fields = undoubted(fields, scanned.said)
            choices = error.choices or self._choices(scanned)
            if not choices and scanned.strange == []:
                wrong = partial(self._sides(scanned).wrong_with, scanned.said)
                error = of_compared(error, scanned.said, plain, self._locale,
                                    compares=self._compares, wrong=wrong)  # fmt: skip
            error.told |= bool(scanned.said.all_of("both_ways"))
            raise helped(error, fields, choices, self._catalog, self._readable,
                         fit=scanned.fit) from None  # fmt: skip

    def scanned(self, words: str) -> Scanned:
        """Everything that a few words say, put to no request."""
        return self._scan(words)

    def fields_of(self, words: str) -> Fields:
        """What a few words say by themselves: `kv v fp16`, `Q4_K_M llama.cpp`."""
        return understood(self._scan(words).said, self._catalog, self._locale)

    def _let_win(self, scanned: Scanned, name: str, value: str | int) -> None:
        """Put the option `name` in the place of what the line says of it."""
        words = phrase(name, value) if len(str(value)) <= MOST_WORDS else str(value)
        if len(words) > MOST_WORDS:
            reason = self._locale.say_wrong("too_long", most=MOST_WORDS, length=len(words))
            message = self._locale.say_wrong("option", name=name, reason=reason)
            raise NotUnderstoodError("too_long", message, field=BLAMED.get(name, name))
        found = self._scan_option(words)
        if found.said.faults:  # an error is of one question alone
            found = self._scan(words)
        option = OptionSaid(name, str(value), found.said, found.strange)
        if not option.readable:
            raise self._unreadable(option)
        if outdone := list(put_in_place(scanned.said, option)):
            scanned.outdone[name] = outdone
        if name == "model":
            self._forget_ids(scanned)
            scanned.strange[:] = option.strange

    def _forget_ids(self, scanned: Scanned) -> None:
        """Leave Hub ids of the line, with the words in them, to the option `model`."""
        ids = [echo(fact.text, 24) for fact in scanned.strange]
        words = " ".join(fact.text for fact in scanned.strange)
        unread = scanned.said.unread
        unread[:] = [one for one in unread if one.text not in words]
        if ids:
            scanned.outdone.setdefault("model", []).extend(ids)

    def _unreadable(self, option: OptionSaid) -> NotUnderstoodError:
        """What is wrong with an option, in the words of the line's own errors."""
        try:
            if option.said.faults:
                raise option.said.faults[0]
            if option.name == "model":
                model_of(option.said, option.strange, self._catalog, self._locale)
            refuse_unread(option.said, self._vocabulary, self._catalog, self._locale)
        except NotUnderstoodError as error:
            reason, names = error.message, error.names
        else:
            word = echo(option.text)
            reason = self._locale.say_wrong("not_of_option" if word else "empty", word=word)
            names = ()
        message = self._locale.say_wrong("option", name=option.name, reason=reason)
        return NotUnderstoodError("bad_option", message, field=BLAMED.get(option.name, option.name),
                                  names=names, strange=strange_of(option.strange))  # fmt: skip

    def _reading(self, scanned: Scanned) -> Reading:
        """The reading of what was found; raises the first thing that is wrong."""
        said = scanned.said
        if said.faults:
            raise said.faults[0]
        refuse_others(said, self._locale)
        if (itself := held_against_itself(said)) is not None:
            message = self._locale.say_wrong("against_itself", word=echo(itself.text))
            raise NotUnderstoodError("contradiction", message, field="model")
        model = self._model(scanned)
        refuse_unread(said, self._vocabulary, self._catalog, self._locale)
        fields = compose(said, self._catalog, self._locale)
        named = model is not None or scanned.shape is not None
        if scanned.shape is None and asks_for_table(said, fields, named=named, fit=scanned.fit):
            return self._tables(scanned, fields, model)
        if not named:
            lines = [table_line(fields, {})] if "gpus" in fields else []
            raise NotUnderstoodError("no_model", self._locale.say_wrong("no_model"), field="model",
                                     lines=lines, names=("7B",))  # fmt: skip
        fields |= {"architecture": scanned.shape} if model is None else {"model": model}
        settle_by_model(fields, model or "", said, self._catalog, self._locale)
        if "task" not in fields:
            message = self._locale.say_wrong("no_task")
            raise NotUnderstoodError("ambiguous", message, field="task", names=["train", "infer"])
        fields = {name: value for name, value in fields.items() if name not in NO_FIELDS}
        return Reading(
            request_of(fields),
            fields,
            self._line(fields),
            tuple(notes_of(said, fields, scanned.outdone, self._locale)),
            strange_of(scanned.strange),
            host_of(said),
            amounts=() if "gpus" in fields else tuple(said.amounts),
        )

    def _tables(self, scanned: Scanned, fields: Fields, model: str | None) -> Reading:
        """A reading that tables answer."""
        said = scanned.said
        if model is not None:
            fields["model"] = model
            settle_by_model(fields, model, said, self._catalog, self._locale)
        tables = tables_of(said, fields)
        fields = {name: value for name, value in fields.items() if name not in NO_FIELDS}
        line = table_line(fields, tables)
        if "gpus" not in fields:
            message = self._locale.say_wrong("no_card")
            raise NotUnderstoodError("ambiguous", message, field="gpus",
                                     lines=lines_with_cards(line))  # fmt: skip
        notes = tuple(notes_of(said, fields, scanned.outdone, self._locale))
        cell = request_of({"task": next(iter(tables)), "model": SOME_SIZE} | fields)
        return Reading(cell, fields, line, notes, strange_of(scanned.strange), tables=tables)

    def _model(self, scanned: Scanned) -> str | None:
        """The request's `model`; an error of it tells the id that another may know."""
        try:
            return model_of(scanned.said, scanned.strange, self._catalog, self._locale)
        except NotUnderstoodError as error:
            error.strange = strange_of(scanned.strange)
            raise

    def _line(self, fields: Fields) -> str:
        """The canonical line; an id that was looked up and could be a word has its host."""
        line, model = write_line(fields), str(fields.get("model", ""))
        if not model or model != self._looked_up or tells_itself(model):
            return line
        return line.replace(model, f"hf.co/{model}", 1)

    def _understood(self, scanned: Scanned) -> Fields:
        """All that was read and can hold; never raises."""
        fields = understood(scanned.said, self._catalog, self._locale)
        with suppress(NotUnderstoodError):
            model = model_of(scanned.said, scanned.strange, self._catalog, self._locale)
            fields |= {} if model is None else {"model": model}
        return {name: value for name, value in fields.items() if name not in NO_FIELDS}

    def _sides(self, scanned: Scanned) -> "Sides[Reading]":
        return Sides(
            self._catalog,
            read=lambda words: self._scan(words).said.facts,
            whole=lambda said: self._reading(replace(scanned, said=said)),
            task_of=lambda said: self._understood(replace(scanned, said=said)).get("task"),
            answered=lambda reading: can_answer(reading.request, self._catalog),
        )

    def _choices(self, scanned: Scanned) -> list[Reading]:
        return self._sides(scanned).of(scanned.said)

    def _compares(self, line: str) -> bool:
        one = self._scan(line)
        return bool((one.said.all_of(COMPARE) and self._reads(one)) or self._choices(one))

    def _unless_compared(self, scanned: Scanned) -> Reading:
        """The reading; raises with what it compares, or with its usual neighbours."""
        reading, said = self._reading(scanned), scanned.said
        if reading.tables:
            return reading
        if is_varied(said) and (choices := self._choices(scanned)):
            raise NotUnderstoodError("compared", "", choices=choices)
        beside_others(reading.fields, said, self._locale, partial(self._with_fields, reading))
        return reading

    def _with_fields(self, reading: Reading, fields: Fields) -> Reading:
        return replace(reading, request=request_of(fields), fields=fields, line=self._line(fields))

    def _readable(self, lines: Iterable[str]) -> list[str]:
        found = (line for line in dict.fromkeys(lines) if self._offers(line))
        return list(islice(found, MOST_LINES))

    def _can_read(self, line: str) -> bool:
        scanned = self._scan(line)
        return self._reads(scanned) or bool(self._choices(scanned))

    def _reads(self, scanned: Scanned) -> bool:
        try:
            self._reading(scanned)
        except NotUnderstoodError:
            return False
        return True
