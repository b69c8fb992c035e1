"""Notes under an answer: what was mended, what changes nothing, what was left aside."""

import re
from collections.abc import Mapping, Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.aside import valueless
from bot.reading.blocks import blocks_aside
from bot.reading.clean import echo
from bot.reading.compose import Fields
from bot.reading.facts import Fact, Said
from bot.reading.host import is_elsewhere
from bot.reading.in_use import beside_aside
from bot.reading.keys import FULL_CONTEXT
from bot.reading.optimizers import KERNELS
from bot.reading.rooms import rooms_aside
from bot.reading.scope import others_aside
from bot.reading.tasks import TAKEN
from bot.reading.write import write_line

MOST = compiled(r"\bmax", re.IGNORECASE)
MOST_NOTED = 8  # unread words that are named
NO_FIELDS = ("dataset", "speed")  # said, and nothing that a request holds


def notes_of(
    said: Said, fields: Fields, outdone: Mapping[str, Sequence[str]], locale: Locale
) -> list[str]:
    """What was mended, outdone, read without effect, or not read."""
    notes = [
        locale.say("read_as", typed=echo(typed), meant=meant) for typed, meant in said.corrections
    ]
    for option, typed in outdone.items():
        words = ", ".join(f"`{word}`" for word in dict.fromkeys(typed))
        key = "outdone_task" if option == "task" else "outdone"
        notes.append(locale.say(key, option=option, words=words, task=fields["task"]))
    notes += dict.fromkeys(said.remarks)
    notes += [locale.say(TAKEN)] if said.all_of(TAKEN) else []
    named = {str(fact.value) for fact in said.all_of("method")}
    if fields.get("method") not in (None, *named) and not said.all_of("method_hint"):
        notes.append(locale.say("method_implied", method=fields["method"]))
    notes += [locale.say(str(f.value), words=echo(f.text)) for f in said.all_of("remarked")]
    notes += [locale.say("turned", words=echo(fact.text)) for fact in said.all_of("turned")]
    notes += _whole_window(said, fields, locale)
    rooms = ", ".join(f"`{echo(words)}`" for words in dict.fromkeys(rooms_aside(said, fields)))
    notes += [locale.say("rooms", words=rooms)] if rooms else []
    notes += beside_aside(said, fields, locale)
    unused = [echo(fact.text) for fact in _unused(said, fields)]
    if unused:
        words = ", ".join(f"`{word}`" for word in list(dict.fromkeys(unused))[:MOST_NOTED])
        notes.append(locale.say("unused", words=words))
    left = [echo(said.as_typed(one.text), 60 if one.denied else 24) for one in said.unread] + [
        echo(said.as_typed(n), 24) for n in (*said.loose, *_amounts(said, fields), *_idle(said))
    ]
    if left:
        words = ", ".join(f"`{word}`" for word in list(dict.fromkeys(left))[:MOST_NOTED])
        notes.append(locale.say("not_read", words=words))
    return notes


def _whole_window(said: Said, fields: Fields, locale: Locale) -> list[str]:
    """`max context … on a 3090`: what was made of it, and the line for what it may have meant."""
    flags = [fact for fact in said.all_of("flag") if fact.value == FULL_CONTEXT]
    words = [fact.text for fact in flags if MOST.search(fact.text)]
    if not words or fields.get("task") != "infer" or not fields.get("gpus") or "find" in fields:
        return []
    line = write_line({n: v for n, v in fields.items() if n != "context"} | {"find": "context"})
    return [locale.say("whole_window", words=echo(words[0]), line=line)]


def _amounts(said: Said, fields: Fields) -> Sequence[str]:
    """Amounts of memory beside cards; without any, the answer itself is held against them."""
    return said.amounts if "gpus" in fields else ()


def _idle(said: Said) -> list[str]:
    """Keys without a value; cards are spoken of in any question."""
    return [fact.text for fact in valueless(said) if fact.field != "world"]


def _unused(said: Said, fields: Fields) -> list[Fact]:
    """What was read and changes nothing: `1M tokens` of data, `fused` beside 8-bit Adam."""
    optimizer = str(fields.get("optimizer", ""))
    kernels = [
        fact
        for fact in said.all_of("optimizer_kind")
        if fact.value in KERNELS and not optimizer.endswith(str(fact.value))
    ]
    idle = blocks_aside(said, fields)
    idle += others_aside(said)
    counted = {"dataset"} if {"dataset_tokens", "dataset_samples"} & set(fields) else set()
    unused = ["unused", *(name for name in NO_FIELDS if name not in counted)]
    idle += [fact for name in unused for fact in said.all_of(name)]
    idle += [fact for fact in said.facts if is_elsewhere(fact)]
    return idle + kernels
