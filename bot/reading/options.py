"""Options beside a line: each is read by itself, and wins over what the line says of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.reading.clean import clean, echo
from bot.reading.facts import Fact, Said, Unread
from bot.reading.keys import FULL_CONTEXT
from bot.reading.listing import LISTED
from bot.reading.number_lists import COMPARE
from bot.reading.precision import PLAIN
from bot.reading.vocabulary import JOINING
from bot.reading.write import write_line

# Option → the facts it may say, and that it takes the place of.
FACTS: Mapping[str, tuple[str, ...]] = {
    "task": ("task", "task_hint"),
    "model": ("model", "size", "half_name"),
    "method": ("method", "method_hint"),
    "rank": ("rank",),
    "optimizer": ("optimizer", "optimizer_kind", "optimizer_id"),
    "precision": ("precision", "weights", "bpw"),
    "batch": ("batch", "total_batch"),
    "seq": ("seq", "context", "length"),
    "context": ("context", "seq", "length"),
    "users": ("users", "batch", "total_batch"),
    "checkpointing": ("checkpointing",),
    "strategy": ("strategy",),
    "engine": ("engine", "engine_version"),
    "kv": ("kv", "kv_k", "kv_v"),
    "gpus": ("gpus", "world", LISTED, *JOINING),
    COMPARE: (COMPARE,),  # that the line is to be compared; without words of its own
}
COMMAND = "command"  # beside the options: which command was used, where it is no task
BETWEEN = (LISTED, *JOINING)  # facts that say how those beside them stand together
MOST_WORDS = 100  # characters of an option
WORDED = ("model", "precision", "gpus")  # in words of one's own

Options = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class OptionSaid:
    """What was found in one option, and the Hub ids in it that no table has."""

    name: str
    text: str
    said: Said
    strange: list[Fact]

    @property
    def readable(self) -> bool:
        """Whether all of it was read, and says what the option is for."""
        said = self.said
        foreign = [fact for fact in said.facts if fact.field not in FACTS[self.name]]
        found = bool(said.facts or self.strange)
        return found and not (foreign or said.unread or said.loose or said.amounts)


def phrase(name: str, value: str | int) -> str:
    """An option as the words of a line: `batch` 4 is `bs 4`, `gpus` 2 is `2 gpus`."""
    words = clean(value) if isinstance(value, str) else value
    if name not in WORDED or isinstance(words, int):
        return write_line({name: words})
    return f"{words} gpus" if name == "gpus" and words.isdecimal() else words


def put_in_place(said: Said, option: OptionSaid) -> Iterator[str]:
    """Let `option` say its facts in `said`; yields the words that had said otherwise."""
    own = {(fact.field, fact.value) for fact in option.said.facts}
    foreign = _joints_of_others(said.facts)
    replaced = [
        fact
        for n, fact in enumerate(said.facts)
        if n not in foreign and _is_replaced(fact, option.name)
    ]
    found = [_as_weights(fact) for fact in option.said.facts]
    said.facts = [f for f in said.facts if not any(f is other for other in replaced)] + found
    said.settled.add(option.name)
    said.corrections += option.said.corrections
    said.faults += option.said.faults
    yield from _unread_of(said, option.name)
    for fact in replaced:
        if (fact.field, fact.value) not in own and not _is_silent(fact):
            yield echo(fact.text, 24)


def _joints_of_others(facts: list[Fact]) -> set[int]:
    """Places of words that join no cards: the `vs` of `lora vs qlora`, and `compare`."""
    found = set()
    for n, fact in enumerate(facts):
        if fact.field not in BETWEEN:
            continue
        before = next((f for f in reversed(facts[:n]) if f.field not in BETWEEN), None)
        behind = next((f for f in facts[n + 1 :] if f.field not in BETWEEN), None)
        beside = [None if one is None else one.field for one in (before, behind)]
        if fact.field == COMPARE or (fact.field != LISTED and "gpus" not in beside):
            found.add(n)
    return found


def _is_replaced(fact: Fact, option: str) -> bool:
    """Whether the option says what `fact` does; a length also that all of it is meant."""
    whole = fact.value == FULL_CONTEXT and option in ("context", "seq")
    return whole or fact.field in FACTS[option]


def _unread_of(said: Said, option: str) -> Iterator[str]:
    """Take `bs foo` out of what is unread, where `batch` is an option: yields the words."""
    kept: list[Unread] = []
    of_key = False
    for unread in said.unread:
        own = unread.key is not None and unread.key in FACTS[option]
        word = of_key and unread.key is None and unread.denied is None
        if own or word:
            yield echo(unread.text, 24)
        else:
            kept.append(unread)
        of_key = own
    said.unread[:] = kept


def _is_silent(fact: Fact) -> bool:
    """What only colours other words: nobody misses it."""
    return fact.field.endswith("_hint") or fact.field in (LISTED, *JOINING)


def _as_weights(fact: Fact) -> Fact:
    """A type named in the option is what weights are held in, also beside `qlora`."""
    plain = fact.field == "precision" and fact.value in PLAIN
    return Fact("weights", fact.value, fact.text) if plain else fact
