"""What sets nothing in a line: fillers, announcing words, keys without a value, unknown words."""

from bot.reading.clean import echo
from bot.reading.data_sets import is_unit
from bot.reading.facts import Fact, Said, Unread
from bot.reading.keys import ADAPTERS, CACHE, hint
from bot.reading.line import Line
from bot.reading.listing import is_open
from bot.reading.names import take_half_name
from bot.reading.vocabulary import JOINING, Kind, Match, Meaning

IN_USE = "in_use"  # memory, of which the amount is missing
SETTLED_ELSEWHERE = ("ignored", "rule_activation_bytes")  # keys that may stand without a value
IDLE_KEYS = ("world", "users", "prompt", "context", "gpu_layers", "grads", "states", "compute",
             "replicas", *CACHE)  # fmt: skip
LENGTHS_SAID = ("context", "seq", "length", "prompt", "flag", "turned", "find")
SUPPLIED = {  # facts beside which a key may stand without a value
    "world": ("world", "gpus", "turned", "tp", "dp"),
    "context": LENGTHS_SAID,
    "prompt": LENGTHS_SAID,
    "users": ("users", "batch", "turned", "find"),
    "rank": ("rank", "find"),
    "kv": ("kv", "kv_k", "kv_v", *LENGTHS_SAID, "users"),  # `32k kv cache` is of its length
}
SAYING = (Kind.KEY, Kind.VALUE, Kind.CARD, Kind.MODEL, Kind.SLOT, Kind.NUMBER)
DESCRIBING = (  # words before a size that name no model; behind a name they may: `phi 3 medium`
    *("tiny", "small", "smaller", "medium", "big", "bigger", "huge", "whole", "entire", "open"),
    *("regular", "normal", "typical", "usual", "common", "plain", "vanilla", "standard", "bare"),
    *("random", "simple", "basic", "generic", "average", "decent", "good", "nice", "proper"),
    *(
        "style",
        "like",
        "type",
        "class",
        "sized",
        "parameter",
        "new",
        "own",
        "fresh",
        "modern",
        "custom",
        "hypothetical",
        "given",
        "certain",
    ),
)
SENTENCE_ENDS = (".", "..", "...", "…", ":", ">")  # between a word and a size of another sentence
DIGITS_OF_GROUP = 3  # in a number such as 131 072
LONGEST_CODE = 2  # letters of a code such as `t5`
SLOTS_OF_ANYTHING = ("gpus", "model", "weights", "method", "targets")


def take_silent(line: Line, at: int, match: Match) -> int:
    """A word that sets nothing: a filler, an announcing word, a key without its number."""
    said, text = line.said, line.text(at, match.length)
    key, slot, filler = match.of(Kind.KEY), match.of(Kind.SLOT), match.of(Kind.FILLER)
    if slot is not None and slot.field == "targets":
        line.list_end = at + match.length
        hint(line, at, match.length)
    if key is not None and key.field == "context":
        line.add("task_hint", "infer", at, match.length)
    if filler is not None and is_open(line, at):
        said.unread.append(Unread(text))
    if filler is not None and filler.field in JOINING:
        said.facts.append(Fact(filler.field, text, text))
    if key is not None and key.field == "users" and _counts_by_length(line, at):
        line.fault("no_value", "no_value", key=echo(text), example="4")
    elif filler is not None:
        said.fillers += filler.field != "greeting"
    elif slot is None and line.no_end != at + match.length and not _may_be_idle(key):
        said.unread.append(_without_value(line, at, match))
    word = text.casefold()
    said_idle = (filler is None or word.endswith("s")) and word != "user"  # `gpus`, not `gpu`
    if key is not None and key.field in IDLE_KEYS and line.no_end != at and said_idle:
        at_fact = len(said.facts) if key.field in CACHE else text  # where it stands among facts
        said.idle.append(Fact(key.field, at_fact, text))
    return match.length


def _may_be_idle(key: Meaning | None) -> bool:
    return key is not None and key.field in (*IDLE_KEYS, *SETTLED_ELSEWHERE)


def _without_value(line: Line, at: int, match: Match) -> Unread:
    """A key that is refused without its value; `lora r` still says LoRA."""
    own = 0
    if match.of(Kind.KEY) and match.length > 1 and line.atoms[at].text in ADAPTERS:
        hint(line, at, 1)
        own = 0 if line.joined(at + 1) else 1
    text = line.text(at + own, match.length - own)
    if is_unit(match, IN_USE):
        return Unread(text, key=IN_USE)
    return Unread(text, key=None if (key := match.of(Kind.KEY)) is None else key.field)


def doubt(line: Line, at: int) -> None:
    """The 131 of `ctx 131 072`, which may be a part of one number."""
    last = line.said.facts[-1] if line.said.facts else None
    group = line.atoms[at].numeric and len(line.atoms[at].text) == DIGITS_OF_GROUP
    number = last is not None and isinstance(last.value, (int, float))
    if last is not None and number and group and line.fact_end == at and not line.atoms[at].apart:
        line.said.doubted.append(last)


def valueless(said: Said) -> list[Fact]:
    """Keys whose value is missing, in words that another part of the line does not supply."""
    said_of = {fact.field for fact in said.facts}
    return [
        fact for fact in said.idle if said_of.isdisjoint(SUPPLIED.get(fact.field, (fact.field,)))
    ]


def _counts_by_length(line: Line, at: int) -> bool:
    """`8k users`: a length right before a word for people."""
    last = line.said.facts[-1] if line.said.facts else None
    beside = line.fact_end == at and not line.atoms[at].apart
    return last is not None and last.field == "length" and beside


def take_unknown(line: Line, at: int, families: frozenset[str]) -> int:
    """A word that nothing here knows, with all that is glued to it; or a family's name."""
    if line.atoms[at].text in families:
        return take_half_name(line, at)
    length = 1
    while at + length < len(line.atoms) and line.atoms[at + length].glued:
        length += 1
    slot = _slot_beside(line, at, length)
    start = _start_of_unread(line, at)
    named = _named(line, start, at - start + length)
    line.said.unread.append(Unread(line.text(at, length), slot, named=named,
                                   behind=_is_behind_name(line, at)))  # fmt: skip
    line.unread_start, line.unread_end = start, at + length
    return length


def _is_behind_name(line: Line, at: int) -> bool:
    """Whether the word at `at` may go on with a model's name: `llama 4 behemoth`."""
    last = line.said.facts[-1] if line.said.facts else None
    if last is not None and last.field == "weights" and line.between(at) == "_":
        return line.fact_end == at  # `q4_z_m`
    named = last is not None and last.field in ("model", "half_name")
    goes_on = not line.atoms[at].apart and line.between(at) not in SENTENCE_ENDS
    return named and line.name_end == at and goes_on


def _start_of_unread(line: Line, at: int) -> int:
    """The start of the unread words that stand together before `at`: the flan of `flan t5 3b`."""
    together = line.unread_end == at and not line.atoms[at].apart
    return line.unread_start if together else at


def take_code_name(line: Line, at: int) -> int:
    """`t5 3b`: a letter glued to a number right before a size names a model nobody knows."""
    atom, after = line.atoms[at], at + 1
    glued = after < len(line.atoms) and line.atoms[after].numeric and line.atoms[after].glued
    if atom.numeric or atom.glued or atom.text == "x" or not glued or line.quantity(at) is not None:
        return 0
    match = line.match(at)
    said = match is not None and (match.length > 1 or any(m.kind in SAYING for m in match.meanings))
    start = _start_of_unread(line, at)
    plain = not said and len(atom.text) <= LONGEST_CODE
    named = _named(line, start, at - start + 2) if plain else None
    if named is None:
        return 0
    line.said.unread.append(Unread(line.text(at, 2), named=named))
    line.unread_start, line.unread_end = start, at + 2
    return 2


def _named(line: Line, at: int, length: int) -> str | None:
    """The words at `at` with the size right behind them: `mamba 2.8b`."""
    end = at + length
    if end >= len(line.atoms) or line.atoms[end].apart or line.atoms[end].glued:
        return None
    if line.atoms[end - 1].text in DESCRIBING or line.between(end) in SENTENCE_ENDS:
        return None
    size = line.quantity(end)
    if size is None or not size.facts or size.facts[0][0] != "size":
        return None
    return line.text(at, length + size.length)


def _slot_beside(line: Line, at: int, length: int) -> str | None:
    for place in (at - 1, at + length):
        match = line.match(place) if place >= 0 else None
        slot = None if match is None else match.of(Kind.SLOT)
        if slot is not None and slot.field not in SLOTS_OF_ANYTHING:
            return slot.field
    return None
