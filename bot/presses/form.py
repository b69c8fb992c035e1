"""The form for exact values: what it asks about an answer, and the words that come of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.locale import Locale
from bot.presses.panel import Input
from bot.reading.changing import MOST_REPLY
from bot.reading.write import write_line
from bot.replies import Replied
from estimator import TrainSetup

WORDS = "words"  # the last text: anything else
MOST_NUMBER, MOST_NAMES = 40, 100  # characters
NUMBERS = {  # the number of a text in the words of a line
    "batch": "bs {}",
    "seq": "seq {}",
    "rank": "r={}",
    "users": "users {}",
    "context": "ctx {}",
    "gpus": "{}",
}


def inputs_of(found: Replied | None, locale: Locale, typed: Mapping[str, str]) -> list[Input]:
    """What can be typed about an answer, with what holds now, or what was `typed` before.

    About several, or tables, all is said in words.
    """
    words, most = locale.press.inputs, MOST_REPLY - MOST_NAMES
    inputs = [] if found is None else [*_of_answer(found, locale)]
    task = "infer" if inputs and inputs[0].name == "users" else "train"
    example = words[f"words_example_{task}"]
    inputs.append(Input(WORDS, words[WORDS], "", example, most))
    return [_with(one, typed.get(one.name, one.value)) for one in inputs]


def words_of(inputs: Sequence[Input], typed: Mapping[str, str]) -> dict[str, str]:
    """What was changed, by its label, each in words that are read below an answer.

    A text that was left as it was, or emptied, changes nothing.
    """
    changed = {}
    for one in inputs:
        value = typed.get(one.name, "").strip()
        if value and value != one.value:
            changed[one.label] = NUMBERS.get(one.name, "{}").format(value)
    return changed


def labels_of(locale: Locale) -> Mapping[str, str]:
    """The label of each text there may be, by its name."""
    return {name: locale.press.inputs[name] for name in (*NUMBERS, WORDS)}


def _of_answer(found: Replied, locale: Locale) -> Iterator[Input]:
    labels, setup = locale.press.inputs, found.answer.setup
    if isinstance(setup, TrainSetup):
        rank = setup.adapter.rank if setup.adapter else None
        present: dict[str, Any] = {"batch": setup.batch, "seq": setup.seq, "rank": rank}
    else:
        present = {"users": setup.users, "context": setup.context}
    for name, value in present.items():
        if value:
            yield Input(name, labels[name], str(value), most=MOST_NUMBER)
    cards = write_line({"gpus": [one.model_dump() for one in found.answer.request.gpus]})
    example = labels["gpus_example"]
    yield Input("gpus", labels["gpus"], cards, example, most=MOST_NAMES)


def _with(one: Input, value: str) -> Input:
    return Input(one.name, one.label, value, one.example, one.most)
