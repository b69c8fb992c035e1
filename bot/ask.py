"""A line of text → an answer and how it is presented, or a refusal that helps.

The one place where reading, estimating and presenting meet; whoever asks (console,
command line) only shows what comes back.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.hub.knowing import Hub
from bot.hub.repository import Missed, Outcome
from bot.hub.shape import Found, found_in
from bot.hub.words import notes_of, refusal_of
from bot.least import beside_none, of_the_least
from bot.locale import Locale, load_locale
from bot.localised import commands_in
from bot.making import Making
from bot.presenting.comparison import compare, differing
from bot.presenting.hosting import beside_host, hosting
from bot.presenting.present import present
from bot.presenting.prices import Prices
from bot.presenting.side_names import side_names
from bot.presenting.spoken_amounts import amount_notes
from bot.reading.changing import CHANGES
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError
from bot.reading.helping import EXAMPLES
from bot.reading.options import Options
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.reading.suggest import Named, Suggestion
from bot.reading.team_cards import read_with_team
from bot.reading.whatfits import FIT
from bot.reading.write import write_line
from bot.remembering import LONGEST, Key, Remembered
from bot.replies import (
    Ahead,
    Answered,
    Asked,
    Explained,
    Indexed,
    OomExplained,
    Refused,
    Replied,
    Tabled,
    Unfinished,
    Weighed,
    listed,
    side_of,
)  # fmt: skip
from bot.team import Team
from estimator import (
    Catalog,
    EstimatorError,
    NoRoom,
    Task,
    answer,
    engine_ids,
)

if TYPE_CHECKING:  # they take an event loop, and a terminal keeps nothing
    import asyncio

    from bot.store.store import Store

ASKING = ("ambiguous", "neighbours")  # codes of questions that a comparison answers

__all__ = ["Ahead", "Answered", "Desk", "Explained", "Hub", "Indexed", "OomExplained", "Refused",
           "Replied", "Tabled", "Weighed", "open_desk"]  # fmt: skip


class Desk(Making):
    """Answers lines in one language over one catalogue."""

    def __init__(
        self,
        locale: Locale,
        catalog: Catalog | None = None,
        hub: Hub | None = None,
        *,
        reader: Reader | None = None,
        heard: Found | Missed | None = None,
        prices: Callable[[], Prices | None] = lambda: None,
        store: "Store | None" = None,
    ) -> None:
        """`catalog`: as in the tables, read once they are needed, unless it is another.

        `hub`: who is asked about models that no table has; a desk itself never asks.

        `heard`: what was heard of the model of one question, with a `reader` that knows it.
        `prices`: the operator's, of clouds' machines; asked for when a plan names some.
        `store`: where things are kept; a desk itself never looks there. `opening`: until it is
        done, what reading takes is made in another thread.
        """
        self.hub = hub
        self.store = store
        self.team: Team | None = None
        self.prices = prices
        super().__init__(locale, catalog, None if reader is None else lambda: reader)
        self._heard = heard
        self.opening: asyncio.Future[object] | None = None
        self.answers = Remembered[Answered]()  # in whatever language, and for whichever team
        self.begun = Remembered[Answered]()  # the same, without what takes many estimates
        self._in_languages: dict[str, Desk] = {locale.code: self}

    def question(self, text: str, options: Options | None = None) -> Answered | Unfinished:
        """The answer to what is no message: an estimate, why something is so, or all topics."""
        if self.guide.is_all(text):
            return self.guide.contents()
        below = str((options or {}).get(CHANGES, ""))
        found = self._explainer.beside(text, self.estimate(text, options), below=below)
        return self.guide.instead(text, found) if isinstance(found, Refused) else found

    def estimate(self, text: str, options: Options | None = None) -> Asked | Unfinished:
        """The estimate alone."""
        try:
            reading = read_with_team(
                self.team, self.reader, text, options, catalog=self.catalog, locale=self._locale
            )
        except NotUnderstoodError as error:
            if error.choices and all(reading.tables for reading in error.choices):
                return self._tabled(error.choices)
            if error.choices and (weighed := self._weighed(error)) is not None:
                return weighed
            other = self._of_other_task(text, options or {})
            offered = (*(other.lines if other else ()), *error.lines)
            if error.strange and isinstance(self._heard, Missed) and not other:
                code, message = refusal_of(self._heard, self.catalog, self._locale)
            else:
                code, message = error.code, other.message if other else error.message
            refused = self._correcting.refused(code, message, error.understood, offered)
            return replace(refused, strange=error.strange)
        return self._tabled([reading]) if reading.tables else self._answered_to(reading, least=True)

    def _tabled(self, readings: Sequence[Reading]) -> Unfinished:
        def finish() -> Tabled | Refused:
            try:
                return self._tables.answer(readings)
            except EstimatorError as error:
                fields = readings[0].fields
                lines = [f"{FIT} {line}" for line in self._correcting.corrected(error, fields)]
                return self._correcting.refused(error.code, error.message, fields, lines)

        return Unfinished(finish)

    def _answered_to(self, reading: Reading, *, least: bool = False) -> Replied | Refused:
        """The answer; `least`: where nothing of what is sought fits, that for the least of it."""
        try:
            found = answer(reading.request, self.catalog)
        except EstimatorError as error:
            if least and isinstance(error, NoRoom):
                return beside_none(
                    self._answered_to(of_the_least(error, reading)), error, self._locale
                )
            lines = self._correcting.corrected(error, reading.fields)
            return self._correcting.refused(error.code, error.message, reading.fields, lines)
        heard = notes_of(self._heard, reading.fields["model"], self._locale) if self._heard else ()
        host = hosting(found, reading.host, self._locale)
        amounts = amount_notes(found, reading.amounts, self._locale)
        notes = (*heard, *host, *amounts, *reading.notes)
        presentation = present(
            found, line=reading.line, notes=notes, catalog=self.catalog, locale=self._locale
        )
        shown = beside_host(presentation, found, reading.host, self._locale)
        return Replied(shown, found, notes, reading.strange, reading.fields)

    def having_heard(self, outcome: Outcome) -> "Desk":
        """The same desk, for one question about the model that the Hub was asked about."""
        known = outcome if isinstance(outcome, Missed) else found_in(outcome, self.catalog)
        catalog, reader = self.catalog, self.reader
        if isinstance(known, Found):
            catalog, reader = catalog.including(known.row), reader.knowing(known.row)
        desk = Desk(self._locale, catalog, self.hub, reader=reader, heard=known,
                    prices=self.prices, store=self.store)  # fmt: skip
        desk.team = self.team
        return desk

    def of_team(self, team: Team) -> "Desk":
        """The same desk, which also says whether an answer fits on the cards of a team."""
        desk = copy(self)
        desk.team = team
        return desk

    def _weighed(self, error: NotUnderstoodError) -> Weighed | Refused | None:
        """What is compared, side by side; what is wrong with all, where that is one thing.

        None where nothing of it can be estimated, each for a reason of its own.
        """
        readings: Sequence[Reading] = error.choices
        found = [self._answered_to(reading) for reading in readings]
        refused = [one for one in found if isinstance(one, Refused)]
        if len(refused) == len(found):
            same = len({one.refusal.wrong for one in refused}) == 1
            return refused[0] if same else None
        own, shared = differing([reading.fields for reading in readings])
        answers = [one.answer if isinstance(one, Replied) else None for one in found]
        names = side_names(own, answers, self.catalog, self._locale)
        sides = [
            side_of(name, reading.line, one)
            for name, reading, one in zip(names, readings, found, strict=True)
        ]
        cards = all("gpus" in one for one in own)
        asked = "" if error.told or error.code not in ASKING else error.message
        shown = compare(
            sides, same=write_line(shared), asked=asked, cards=cards, locale=self._locale
        )
        strange = next((one.strange for one in found if one.strange), "")
        return Weighed(shown, tuple(found), strange)

    def _of_other_task(self, text: str, options: Options) -> NotUnderstoodError | None:
        """That `/vram infer` was asked what `/vram train` is for, where that is what is wrong."""
        task = options.get("task")
        if task not in set(Task):
            return None
        rest = {name: value for name, value in options.items() if name != "task"}
        try:
            reading = self.reader.read(text, rest)
        except NotUnderstoodError:
            return None
        if (other := reading.fields["task"]) == task:
            return None
        names = commands_in(self._locale)
        message = self._locale.say_wrong("other_task", task=names[task], other=names[other])
        return NotUnderstoodError("contradiction", message, lines=[reading.line])

    def key_of(self, text: str, options: Options | None) -> Key | None:
        """What an answer is remembered by; None where it is not.

        What the Hub was asked about is looked up there again, and may be other by then.
        """
        if self._heard is not None or len(text) > LONGEST:
            return None
        said, prices = tuple(sorted((options or {}).items())), self.prices()
        priced = () if prices is None else prices.said
        return Key(text, said, self._locale.code, self.team, priced)

    def has_spoken(self, language: str) -> bool:
        """Whether the desk of that language is made."""
        return language in self._in_languages

    def speaking(self, language: str) -> "Desk":
        """The same desk, answering in another language; made once."""
        if language not in self._in_languages:
            locale = load_locale(language)
            desk = Desk(locale, self._catalog, self.hub, heard=self._heard,
                        prices=self.prices, store=self.store)  # fmt: skip
            desk._reader = lambda: self.reader.speaking(locale)
            desk._first = self
            desk._in_languages, desk.opening = self._in_languages, self.opening
            desk.answers, desk.begun = self.answers, self.begun
            self._in_languages[language] = desk
        return self._in_languages[language]

    def suggest(self, kind: Named, typed: str, most: int) -> tuple[Suggestion, ...]:
        """At most `most` values that a half-typed option may become."""
        return self.suggester.suggest(kind, typed, most)

    def ahead(self, typed: str, options: Options) -> Ahead:
        """What a half-typed line says so far, and whole lines that go on from it."""
        found = self.completer.complete(typed, options)
        if not found.unfinished:
            whole = self.begin(typed, options)
            if isinstance(whole, Unfinished):  # too long for a list; the line says what it asks
                return Ahead(typed, None, "", (typed, *found.lines))
            return Ahead(typed, listed(whole), "", found.lines)
        so_far = self.begin(found.so_far, options) if found.so_far else None
        shown = None if so_far is None or isinstance(so_far, Refused) else listed(so_far)
        return Ahead(found.so_far, shown, echo(found.unfinished, 24), found.lines)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that there are rows of."""
        return engine_ids()

    @property
    def examples(self) -> tuple[str, ...]:
        """Lines to begin with."""
        return EXAMPLES


def open_desk(
    language: str = "en",
    hub: Hub | None = None,
    *,
    prices: Callable[[], Prices | None] = lambda: None,
    store: "Store | None" = None,
) -> Desk:
    """The desk of one language, over the tables that come with the program."""
    return Desk(load_locale(language), None, hub, prices=prices, store=store)
