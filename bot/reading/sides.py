"""The sides of a comparison: a line read with each of the things that it compares."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from bot.locale import Locale
from bot.reading.comparing import MOST_COMPARED, Read, alternatives, count_compared, is_joined
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.number_lists import COMPARE
from estimator import Catalog

SOME_MODEL = "7B"  # put to a line that compares and names no model


class Lined(Protocol):
    """What a line was read as."""

    @property
    def line(self) -> str: ...


OneLine = TypeVar("OneLine", bound=Lined)


def sides_of(
    said: Said,
    catalog: Catalog,
    read: Read,
    whole: Callable[[Said], OneLine],
    task_of: Callable[[Said], str | None],
) -> list[OneLine]:
    """The line read with each thing in turn; none where one of them cannot be read.

    `read`: the facts of a few words. `whole`: the reading of facts, or NotUnderstoodError.
    `task_of`: the task that they are about.
    """
    found: list[OneLine] = []
    turns = [said.with_facts(facts) for facts in alternatives(said, catalog, read)]
    tasks = [task for turn in turns if (task := task_of(turn))]
    for turn in turns:
        if tasks and task_of(turn) is None:  # what one says holds for all
            turn.add("task", tasks[0], "")
        try:
            own = [whole(turn)]
        except NotUnderstoodError:
            own = sides_of(turn, catalog, read, whole, task_of)
        if not own:
            return []
        found += [one for one in own if one.line not in [other.line for other in found]]
    return found if 1 < len(found) <= MOST_COMPARED else []


def of_compared(
    error: NotUnderstoodError,
    said: Said,
    plain: str,
    locale: Locale,
    compares: Callable[[str], bool],
) -> NotUnderstoodError:
    """What keeps a line from being compared: too many things, or no model or task for them.

    Any other error is as it was. `compares`: whether a line would be.
    """
    if not is_joined(said.facts) or said.faults:
        return error
    count = count_compared(said)
    if count > MOST_COMPARED:
        message = locale.say_wrong("too_many", count=count, most=MOST_COMPARED)
        return NotUnderstoodError("too_many", message)
    named = any(said.all_of(name) for name in ("model", "size", "half_name"))
    line = plain if named else f"{plain} {SOME_MODEL}"
    lines = [one for one in (line, *_of_tasks(line, said)) if compares(one)]
    if not lines:
        return error
    if named:
        return NotUnderstoodError("ambiguous", locale.say_wrong("no_task"), lines=lines)
    return NotUnderstoodError("no_model", locale.say_wrong("no_model"), lines=lines[:1])


def _of_tasks(line: str, said: Said) -> Iterator[str]:
    """The line with each task, behind the word that it begins with: `compare train 7B`."""
    word = next((fact.text for fact in said.all_of(COMPARE) if line.startswith(fact.text)), "")
    for task in ("train", "infer"):
        yield f"{word} {task} {line.removeprefix(word).strip()}".strip()
