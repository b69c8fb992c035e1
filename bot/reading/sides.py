"""The sides of a comparison: a line read with each of the things that it compares."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from bot.locale import Locale
from bot.reading.axes import CARDS, MODEL, Facts, varying
from bot.reading.comparing import MOST_COMPARED, Read, alternatives, count_compared, is_joined
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.number_lists import COMPARE, EITHER
from bot.reading.refusing import is_refused
from bot.reading.scope import NOT_LANGUAGE, OTHER_KIND
from bot.reading.tasks import TAKEN
from bot.reading.trainers import all_the_same
from estimator import Catalog

SOME_MODEL = "7B"  # put to a line that compares and names no model
LONGEST_OFFERED = 400  # characters of a line that is offered again with a word more
SHARED = (  # what is said once and holds for all parts of a line
    *(MODEL, (CARDS,), ("task",), ("seq", "context", "length"), ("prompt",), ("new_tokens",)),
    *(("batch",), ("accumulation",), ("users",)),
)
METHOD = ("method", "method_hint")  # held by all parts where those are of what is trained for
OBJECTIVE = "objective"
OPEN = ("no_model", "ambiguous")  # codes of lines that only need more


class Lined(Protocol):
    """What a line was read as."""

    @property
    def line(self) -> str: ...


OneLine = TypeVar("OneLine", bound=Lined)


@dataclass(frozen=True, slots=True)
class Sides(Generic[OneLine]):
    """Reads each side of what a line compares.

    `read`: the facts of a few words. `whole`: the reading of facts, or NotUnderstoodError.
    `task_of`: the task that they are about. `answered`: whether a reading has an estimate.
    """

    catalog: Catalog
    read: Read
    whole: Callable[[Said], OneLine]
    task_of: Callable[[Said], str | None]
    answered: Callable[[OneLine], bool]

    def of(self, said: Said) -> list[OneLine]:
        """The line with each thing in turn; none where one of them cannot be read.

        Where not all of them have an answer, and the parts between the joints do, those:
        the rank of `lora r=8 vs full` is LoRA's alone.
        """
        turns = [] if is_refused(said) else alternatives(said, self.catalog, self.read)
        if not turns:
            return []
        crossed = self._crossed(said, turns)
        if crossed and all(map(self.answered, crossed)):
            return crossed
        if count_compared(said) > MOST_COMPARED:
            return []
        parted = self._each(said, self._parts(said))
        return parted if parted and all(map(self.answered, parted)) else crossed

    def wrong_with(self, said: Said) -> NotUnderstoodError | None:
        """What is wrong with one side by itself: `bs 1 vs 0`."""
        for facts in alternatives(said, self.catalog, self.read):
            turn = said.with_facts(facts)
            try:
                self.whole(turn)
            except NotUnderstoodError as error:
                if error.code not in OPEN and not is_varied(turn):
                    return error
        return None

    def _crossed(self, said: Said, sides: Sequence[Facts] | None = None) -> list[OneLine]:
        found: list[OneLine] = []
        if sides is None:
            sides = alternatives(said, self.catalog, self.read)
        turns = [said.with_facts(facts) for facts in sides]
        tasks = [self.task_of(turn) for turn in turns]
        some = next(filter(None, tasks), None)
        for turn, task in zip(turns, tasks, strict=True):
            if some and task is None:  # what one says holds for all
                turn.add("task", some, "")
            try:
                own = [self.whole(turn)]
                if is_varied(turn):
                    own = self._crossed(turn) or own
            except NotUnderstoodError:
                own = self._crossed(turn)
            if not own:
                return []
            found += [one for one in own if one.line not in [other.line for other in found]]
        return found if 1 < len(found) <= MOST_COMPARED else []

    def _parts(self, said: Said) -> list[Facts]:
        """What stands between the joints, each with what only one of them says of the whole."""
        parts: list[Facts] = [[]]
        for fact in said.facts:
            if fact.field == EITHER:
                parts.append([])
            elif fact.field != COMPARE:
                parts[-1].append(fact)
        if not 1 < len(parts) <= MOST_COMPARED or not all(parts):
            return []
        if any(all(fact.field in (CARDS, TAKEN) for fact in part) for part in parts):
            return []  # `is it 14 GB or 13 GB?`
        trained_for = all(any(fact.field == OBJECTIVE for fact in part) for part in parts)
        for group in (*SHARED, METHOD) if trained_for else SHARED:
            of_group = [[f for f in part if f.field in group] for part in parts]
            (told, *others) = [own for own in of_group if own] or [[]]
            for part, own in zip(parts, of_group, strict=True):
                part.extend([] if own or others else told)
        return parts

    def _each(self, said: Said, parts: list[Facts]) -> list[OneLine]:
        found: list[OneLine] = []
        for facts in parts:
            try:
                found.append(self.whole(said.with_facts(facts)))
            except NotUnderstoodError:
                return []
        return found if len({one.line for one in found}) == len(found) else []


def is_varied(said: Said) -> bool:
    """Whether a word says that things are compared, and several are named."""
    return is_joined(said.facts) and bool(varying(said.facts))


def of_compared(
    error: NotUnderstoodError,
    said: Said,
    plain: str,
    locale: Locale,
    *,
    compares: Callable[[str], bool],
    wrong: Callable[[], NotUnderstoodError | None],
) -> NotUnderstoodError:
    """What keeps a line from being compared: too many things, or no model or task for them.

    Any other error is as it was. `compares`: whether a line would be. `wrong`: what is wrong
    with one side alone.
    """
    if not is_joined(said.facts) or said.faults or error.code not in (*OPEN, "contradiction"):
        return error
    count = count_compared(said)
    if count > MOST_COMPARED:
        message = locale.say_wrong("too_many", count=count, most=MOST_COMPARED)
        return NotUnderstoodError("too_many", message)
    if others := said.all_of(OTHER_KIND):
        message = locale.say_wrong(f"kind_{others[0].value}", name=others[0].text)
        return NotUnderstoodError(NOT_LANGUAGE, message)
    if error.code == "no_model" and (words := all_the_same(said)):
        error.message = f"{locale.say('trainers', words=words)} {error.message}"
        return error
    if any(not fact.text for fact in said.all_of(COMPARE)):  # the command's own name says it
        plain = f"{COMPARE} {plain}"
    named = any(said.all_of(name) for name in MODEL)
    line = plain if named else f"{plain} {SOME_MODEL}"
    long = len(line) > LONGEST_OFFERED
    fitting = () if long else (line, *_of_tasks(line, said))
    lines = list(islice(filter(compares, fitting), None if named else 1))
    if not lines and (other := wrong()) is not None:
        return other
    if not lines and (named or not long):
        return error
    code, lacking = ("ambiguous", "no_task") if named else ("no_model", "no_model")
    return NotUnderstoodError(code, locale.say_wrong(lacking), lines=lines)


def _of_tasks(line: str, said: Said) -> Iterator[str]:
    """The line with each task, behind the word that it begins with: `compare train 7B`."""
    words = (fact.text or COMPARE for fact in said.all_of(COMPARE))
    word = next((word for word in words if line.startswith(word)), "")
    for task in ("train", "infer"):
        yield f"{word} {task} {line.removeprefix(word).strip()}".strip()
