"""A reply to an answer: what was asked then, with what a few words say otherwise.

What they say replaces what the line said of the same; the rest of the line is kept, and both
are read together. What no longer goes with it is left out, and named.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from bot.locale import Locale
from bot.reading.clean import clean, echo
from bot.reading.comparing import MOST_COMPARED, is_joined
from bot.reading.compose import Fields
from bot.reading.facts import NotUnderstoodError
from bot.reading.follow_up import Reply, reply_of
from bot.reading.helping import blamed_of
from bot.reading.options import Options
from bot.reading.overlaid import kept_of, of_other_task
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.reading.relative import absolute, named_in_full
from bot.reading.sides import is_varied
from bot.reading.whatfits import FIT
from bot.reading.write import write_line
from estimator import Catalog, can_answer

CHANGES = "changes"  # an option: the lines of the answer that is replied to, one below another
MOST_REPLY = 400  # characters; more is a question by itself
THANKED = "thanked"  # a code: nothing was asked, and nothing need be said
SPOKEN = "please, is it possible"  # words that make a line a sentence, and say nothing else
MOST_DROPPED = 4  # fields left out, one by one, until it is answered
SMALL_CHANGES: Mapping[str, tuple[Mapping[str, Any], ...]] = {  # to show what could be said
    "train": ({"batch": 4}, {"method": "qlora"}),
    "infer": ({"context": 32_768}, {"users": 4}),
}


def read_on(
    reader: Reader, text: str, options: Options | None, catalog: Catalog, locale: Locale
) -> Reading:
    """The reading of `text`: of itself, or as a change of the lines among `options`.

    Raises NotUnderstoodError, and nothing else, as the reader does.
    """
    lines = str((options or {}).get(CHANGES, "")).splitlines()
    if not lines or len(text) > MOST_REPLY:
        return reader.read(text, {n: v for n, v in (options or {}).items() if n != CHANGES})
    return Changing(reader, catalog, locale).changed(lines, text)


@dataclass(frozen=True, slots=True)
class Changing:
    """Changes lines of one language, over one catalogue."""

    reader: Reader
    catalog: Catalog
    locale: Locale

    def changed(self, lines: Sequence[str], text: str) -> Reading:
        """What `text` makes of the question of an answer; of each, where it compared several.

        A question that is whole by itself is read alone. Raises NotUnderstoodError: with all
        as its choices where there are several, or where the words compare old and new.
        """
        olds = list(self._readings(lines))
        if not olds:
            return self.reader.read(text)
        scan, before = self.reader.scanned, olds[0].fields
        plain = absolute(clean(text), before)
        reply = reply_of(named_in_full(plain, before, scan), scan)
        if reply.is_whole:
            return self.reader.read(text)
        if reply.says_nothing or reply.thanks:
            raise self._nothing(olds[0], THANKED if reply.thanks else "nothing_changed")
        found: list[Reading] = []
        wrong: list[NotUnderstoodError] = []
        for old in olds:
            try:
                found.append(self._one(old, reply))
            except NotUnderstoodError as error:
                found += error.choices
                wrong += [] if error.choices else [error]
        if is_joined(reply.said.facts) and not is_varied(reply.said):
            found = [*olds, *found[:1]]
        if found and _is_same(found, olds, reply):
            raise self._unheard(olds[0], reply)
        distinct = list({one.line: one for one in found}.values())[:MOST_COMPARED]
        if len(distinct) > 1 and not (wrong and len(olds) == 1):
            raise NotUnderstoodError("compared", "", choices=distinct, told=True)
        if not found or (wrong and len(olds) == 1):
            raise wrong[0]
        return distinct[0]

    def _readings(self, lines: Sequence[str]) -> Iterator[Reading]:
        """The lines that can still be read: another version of the bot may have written them."""
        for line in lines:
            with suppress(NotUnderstoodError):
                yield self.reader.read(line)

    def _one(self, old: Reading, reply: Reply) -> Reading:
        """One question, changed; tried as the other task where the words are about that one."""
        kept = kept_of(old.fields, reply)
        tries = [kept]
        implied = self.reader.fields_of(reply.words).get("task")
        if implied is not None and implied != kept.get("task") and not old.tables:
            tries.append(of_other_task(old.fields, reply, str(implied)))
        found: list[Reading] = []
        wrong: list[NotUnderstoodError] = []
        for fields in tries:
            try:
                reading = self._read_leniently(fields, reply, table=bool(old.tables))
            except NotUnderstoodError as error:
                if error.choices:
                    raise
                wrong.append(error)
                continue
            found.append(self._answered(reading, fields, reply))
            if found[-1].tables or can_answer(found[-1].request, self.catalog):
                return self._noted(found[-1], old, reply)
        if wrong:
            raise wrong[0]
        return self._noted(found[0], old, reply)

    def _read_leniently(self, kept: Fields, reply: Reply, *, table: bool) -> Reading:
        """As a command; where that stops at a word, and others are known, as a sentence."""
        try:
            return self._read(kept, reply, table=table)
        except NotUnderstoodError as error:
            if error.code != "unknown_word" or not reply.says_something:
                raise
            spoken = replace(reply, words=f"{reply.words} {SPOKEN}")
            return self._read(kept, spoken, table=table)

    def _read(self, kept: Fields, reply: Reply, *, table: bool) -> Reading:
        """What is kept, and the words behind it."""
        words = reply.beside_cards if "gpus" in kept else reply.words
        whole = ", ".join(part for part in (write_line(kept), words) if part)
        return self.reader.read(f"{FIT} {whole}" if table else whole)

    def _answered(self, reading: Reading, kept: Fields, reply: Reply) -> Reading:
        """The reading, less what was kept and keeps it from an answer, one by one."""
        found, left = reading, dict(kept)
        for _ in range(MOST_DROPPED):
            if found.tables or can_answer(found.request, self.catalog):
                return found
            names = [n for n in blamed_of(dict(found.fields), self.catalog) if n in left]
            names = [n for n in names if n not in ("task", "model")]
            if not names:
                break
            left.pop(names[0])
            try:
                found = self._read(left, reply, table=False)
            except NotUnderstoodError:
                break
        return reading

    def _noted(self, reading: Reading, old: Reading, reply: Reply) -> Reading:
        """The reading, with a note of what was asked before and could not be kept."""
        said = reply.replaced
        gone = {
            name: value
            for name, value in old.fields.items()
            if name not in reading.fields and name not in said and name != "find"
        }
        words = write_line(gone)
        if not words:
            return reading
        return replace(reading, notes=(*reading.notes, self.locale.say("not_kept", words=words)))

    def _unheard(self, old: Reading, reply: Reply) -> NotUnderstoodError:
        """The same, of words that mean nothing here: they are named."""
        words = " ".join(dict.fromkeys(one.text for one in reply.said.unread))
        error = self._nothing(old)
        if words:
            error.message = self.locale.say_wrong("not_heard", words=echo(words))
        return error

    def _nothing(self, old: Reading, code: str = "nothing_changed") -> NotUnderstoodError:
        """That the words say nothing that could be changed, with lines that would."""
        small = SMALL_CHANGES.get(str(old.fields.get("task")), ())
        lines = [write_line({**old.fields, **change}) for change in small]
        message = self.locale.say_wrong("nothing_changed")
        return NotUnderstoodError(code, message, understood=old.fields, lines=lines or [old.line])


def _is_same(found: Sequence[Reading], olds: Sequence[Reading], reply: Reply) -> bool:
    """Whether words that tell nothing leave every question as it was."""
    lines = {one.line for one in found}
    return lines == {one.line for one in olds} and not (reply.said.facts or reply.strange)
