"""A line of anybody's text → a request, the line that says it, and what was left aside.

clean ─▶ hub ids ─▶ atoms ─▶ facts ─▶ model ─▶ fields ─▶ Request
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from bot.locale import Locale
from bot.reading.atoms import atoms_of
from bot.reading.card_splits import take_splits
from bot.reading.clean import MOST_CHARACTERS, clean, echo
from bot.reading.comparing import held_against_itself, settle_caches
from bot.reading.compose import BLAMED, Fields, compose, understood
from bot.reading.device_cards import settle_devices
from bot.reading.drafts import take_draft, unknown_draft
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.helping import examples_of, helped, undoubted
from bot.reading.host import host_gb_of
from bot.reading.instances import instances_of, settle_platform, take_instances
from bot.reading.line import Line
from bot.reading.mend import Mender, spell_out
from bot.reading.models import model_of, strange_of, take_hub_ids, tells_itself
from bot.reading.neighbours import beside_others
from bot.reading.noting import NO_FIELDS, notes_of
from bot.reading.number_lists import COMPARE, settle_numbers
from bot.reading.options import MOST_WORDS, Options, OptionSaid, phrase, put_in_place
from bot.reading.pasted import take_flags
from bot.reading.refusing import refuse_unread
from bot.reading.scan import Scanner
from bot.reading.scope import refuse_others, take_prices
from bot.reading.sides import Sides, is_varied, of_compared
from bot.reading.teacher import take_teacher
from bot.reading.vocabulary import Vocabulary, vocabulary_of
from bot.reading.window import settle_by_model
from bot.reading.write import write_line
from estimator import BadRequest, Catalog, Model, Request, can_answer, parse_request


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line asks. `line` is its canonical form; `notes` say what was left aside.

    `strange`: a Hub id that no table has, whose name alone told the model. `host_gb`: of RAM.
    """

    request: Request
    fields: Mapping[str, Any]
    line: str
    notes: tuple[str, ...]
    strange: str = ""
    host_gb: float | None = None


@dataclass(frozen=True, slots=True)
class _Scanned:
    """Everything found in a line; `strange` are Hub ids that no table has.

    `outdone`: by option, the words of the line that it said otherwise.
    """

    said: Said = field(default_factory=Said)
    strange: list[Fact] = field(default_factory=list)
    outdone: dict[str, list[str]] = field(default_factory=dict)


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
        self._instances = instances_of(catalog)
        self._mender = Mender(frozenset(self._vocabulary.words), self._vocabulary.families)
        self._looked_up = looked_up

    def knowing(self, model: Model) -> "Reader":
        """A reader that knows one model more, by its id alone."""
        return Reader(self._locale, self._catalog.including(model), self._vocabulary, model.id)

    @property
    def words(self) -> frozenset[str]:
        """The single words that mean something."""
        return frozenset(self._vocabulary.words)

    def read(self, text: str, options: Options | None = None) -> Reading:
        """The request that `text` makes; raises NotUnderstoodError, and nothing else.

        `options`: values by the names of `options.FACTS`; each wins over the text.
        """
        plain = clean(text) if len(text) <= MOST_CHARACTERS else text
        if len(plain) > MOST_CHARACTERS:  # one letter may stand for many
            message = self._locale.say_wrong("too_long", most=MOST_CHARACTERS, length=len(plain))
            raise NotUnderstoodError("too_long", message, lines=examples_of(options))
        if not plain and not set(options or ()) - {"task", COMPARE}:
            message = self._locale.say_wrong("empty")
            raise NotUnderstoodError("empty", message, lines=examples_of(options))
        scanned = self._scan(plain)
        try:
            for name, value in (options or {}).items():
                self._let_win(scanned, name, value)
            return self._unless_compared(scanned)
        except NotUnderstoodError as error:
            fields = self._understood(scanned)
            if error.code == "loose_number":
                fields = undoubted(fields, scanned.said)
            choices = error.choices or self._choices(scanned)
            if not choices and scanned.strange == []:
                wrong = self._sides(scanned).wrong_with(scanned.said)
                error = of_compared(error, scanned.said, plain, self._locale,
                                    compares=self._compares, wrong=wrong)  # fmt: skip
            error.told |= bool(scanned.said.all_of("both_ways"))
            raise helped(error, fields, choices, self._catalog, self._readable) from None

    def fields_of(self, words: str) -> Fields:
        """What a few words say by themselves: `kv v fp16`, `Q4_K_M llama.cpp`."""
        return understood(self._scan(words).said, self._catalog, self._locale)

    def _let_win(self, scanned: _Scanned, name: str, value: str | int) -> None:
        """Put the option `name` in the place of what the line says of it."""
        if name == COMPARE:
            scanned.said.add(COMPARE, "", "")
            return
        words = phrase(name, value) if len(str(value)) <= MOST_WORDS else str(value)
        if len(words) > MOST_WORDS:
            reason = self._locale.say_wrong("too_long", most=MOST_WORDS, length=len(words))
            message = self._locale.say_wrong("option", name=name, reason=reason)
            raise NotUnderstoodError("too_long", message, field=BLAMED.get(name, name))
        found = self._scan(words)
        option = OptionSaid(name, str(value), found.said, found.strange)
        if not option.readable:
            raise self._unreadable(option)
        if outdone := list(put_in_place(scanned.said, option)):
            scanned.outdone[name] = outdone
        if name == "model":
            self._forget_ids(scanned)
            scanned.strange[:] = option.strange

    def _forget_ids(self, scanned: _Scanned) -> None:
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

    def _scan(self, plain: str) -> _Scanned:
        said = Said()
        plain = spell_out(take_prices(plain, said), said)
        plain = take_splits(plain, said)
        plain = take_flags(plain, self._vocabulary, self._locale, said)
        alone = take_draft(plain, self._catalog, said)
        if unknown := unknown_draft(alone, self._vocabulary):
            message = self._locale.say_wrong("unknown_model", name=echo(unknown))
            said.faults.append(NotUnderstoodError("unknown_name", message, field="draft"))
        untaught = take_teacher(alone, self._catalog, self._locale, said)
        source, strange = take_hub_ids(
            untaught, self._catalog, self._vocabulary, self._locale, said
        )
        source = take_instances(source, self._instances, self._catalog, self._locale, said)
        line = Line(list(atoms_of(source)), source, self._vocabulary, self._locale, said)
        Scanner(line, self._mender, self._vocabulary.families).run()
        settle_numbers(said)
        settle_caches(said)
        settle_devices(said, self._catalog, self._locale)
        settle_platform(said, self._catalog, self._locale)
        return _Scanned(said, strange)

    def _reading(self, scanned: _Scanned) -> Reading:
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
        if model is None:
            raise NotUnderstoodError("no_model", self._locale.say_wrong("no_model"), field="model",
                                     names=("7B",))  # fmt: skip
        fields["model"] = model
        settle_by_model(fields, model, said, self._catalog, self._locale)
        if "task" not in fields:
            message = self._locale.say_wrong("no_task")
            names = ("train", "infer")
            raise NotUnderstoodError("ambiguous", message, field="task", names=names)
        fields = {name: value for name, value in fields.items() if name not in NO_FIELDS}
        return Reading(
            _request(fields),
            fields,
            self._line(fields),
            tuple(notes_of(said, fields, scanned.outdone, self._locale)),
            strange_of(scanned.strange),
            host_gb_of(said),
        )

    def _model(self, scanned: _Scanned) -> str | None:
        """The request's `model`; an error of it tells the id that another may know."""
        try:
            return model_of(scanned.said, scanned.strange, self._catalog, self._locale)
        except NotUnderstoodError as error:
            error.strange = strange_of(scanned.strange)
            raise

    def _line(self, fields: Fields) -> str:
        """The canonical line; an id that was looked up and could be a word has its host."""
        line, model = write_line(fields), str(fields["model"])
        if model != self._looked_up or tells_itself(model):
            return line
        return line.replace(model, f"hf.co/{model}", 1)

    def _understood(self, scanned: _Scanned) -> Fields:
        """All that was read and can hold; never raises."""
        fields = understood(scanned.said, self._catalog, self._locale)
        with suppress(NotUnderstoodError):
            model = model_of(scanned.said, scanned.strange, self._catalog, self._locale)
            fields |= {} if model is None else {"model": model}
        return {name: value for name, value in fields.items() if name not in NO_FIELDS}

    def _sides(self, scanned: _Scanned) -> "Sides[Reading]":
        return Sides(
            self._catalog,
            read=lambda words: self._scan(words).said.facts,
            whole=lambda said: self._reading(replace(scanned, said=said)),
            task_of=lambda said: self._understood(replace(scanned, said=said)).get("task"),
            answered=lambda reading: can_answer(reading.request, self._catalog),
        )

    def _choices(self, scanned: _Scanned) -> list[Reading]:
        return self._sides(scanned).of(scanned.said)

    def _compares(self, line: str) -> bool:
        one = self._scan(line)
        return bool((one.said.all_of(COMPARE) and self._reads(one)) or self._choices(one))

    def _unless_compared(self, scanned: _Scanned) -> Reading:
        """The reading; raises with what it compares, or with its usual neighbours."""
        reading, said = self._reading(scanned), scanned.said
        if is_varied(said) and (choices := self._choices(scanned)):
            raise NotUnderstoodError("compared", "", choices=choices)
        beside_others(reading.fields, said, self._locale, partial(self._with_fields, reading))
        return reading

    def _with_fields(self, reading: Reading, fields: Fields) -> Reading:
        return replace(reading, request=_request(fields), fields=fields, line=self._line(fields))

    def _readable(self, lines: Iterable[str]) -> list[str]:
        return [line for line in dict.fromkeys(lines) if self._can_read(line)]

    def _can_read(self, line: str) -> bool:
        scanned = self._scan(line)
        return self._reads(scanned) or bool(self._choices(scanned))

    def _reads(self, scanned: _Scanned) -> bool:
        try:
            self._reading(scanned)
        except NotUnderstoodError:
            return False
        return True


def _request(fields: Mapping[str, Any]) -> Request:
    try:
        return parse_request(dict(fields))
    except BadRequest as error:
        name = error.field.split(".")[0]
        raise NotUnderstoodError(error.code, error.message, field=name) from None
