"""Names of models in a line, and what hangs on them that makes them another's name."""

import re

from bot.compiled import compiled
from bot.reading.facts import Fact, Unread
from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Match

LONGEST_TAIL = 16  # atoms; a name that goes on beyond them is no name
SHORT_PART = 3  # letters of a name's part that is no slip of another word
VERSIONS = ("v",)  # a letter before a number that tells versions apart: `deepseek v3`
VARIANT = "variant"
NAMED = ("model", "half_name")
SAME_MODEL = ("instruct", "chat", "base", "hf", "it", "model")  # endings that change no shape
HYPHENS = ("-", "_", ".", ":")
VERSION = compiled(r"v?\d{1,4}(?:\.\d{1,4}){1,3}(?![\w.])", re.IGNORECASE)  # of an engine
DATED = compiled(  # of one that is told by month or build
    r"20\d\d-\d{1,2}(?:-\d{1,2})?(?![\w.-])|b\d{3,5}(?![\w.])|(?:latest|newest)(?!\w)",
    re.IGNORECASE,
)
RELEASE = compiled(r"\d(?:\.\d)?")  # a number that may tell versions of a model apart
BY_MONTH = ("llama.cpp", "ollama", "ik_llama")
PLUS = compiled(r"\+(?!\w)")  # `command-r+`


def take_model(line: Line, at: int, length: int, model: str) -> int:
    """A model's name; whatever hangs on it must be readable too, or it is another's."""
    return _take(line, "model", model, at, length)


def take_half_name(line: Line, at: int) -> int:
    """A family's name without a model of the table: `qwen`, `llama 9`, `deepseek v3`."""
    end = at + 1
    while end < len(line.atoms) and end - at < LONGEST_TAIL and _goes_on(line, end):
        end += 1
    return _take(line, "half_name", line.text(at, end - at), at, end - at)


def _take(line: Line, name: str, value: str, at: int, length: int) -> int:
    start, beyond = _head(line, at), _beyond(line, at + length + _release(line, at, length))
    whole = _whole(line, at, length, start, beyond)
    line.said.facts.append(Fact(name, value, line.text(at, length), whole))
    line.fact_end = line.name_end = beyond
    return beyond - at


def _release(line: Line, at: int, length: int) -> int:
    """The 4 of `grok 4`, where `grok` is another: a bare number behind a name without one."""
    after = at + length
    if after >= len(line.atoms) or line.atoms[after].apart:
        return 0
    numbered = any(atom.numeric for atom in line.atoms[at:after])
    glued = after + 1 < len(line.atoms) and line.atoms[after + 1].glued
    if numbered or glued or RELEASE.fullmatch(line.atoms[after].text) is None:
        return 0
    quantity, match = line.quantity(after), line.match(after)
    bare = quantity is None or (not quantity.facts and quantity.length == 1)
    return int(bare and (match is None or match.length == 1))


def take_variant(line: Line, at: int, match: Match) -> int:
    """`vl`, `coder` right behind a name make it another's; elsewhere `maverick` is a model."""
    facts = line.said.facts
    behind = line.name_end == at and not line.atoms[at].apart
    places = reversed(range(len(facts) if behind else 0))
    name = next((n for n in places if facts[n].field in NAMED), None)
    if name is not None:
        last = facts[name]
        whole = f"{last.whole or last.text} {line.text(at, match.length)}"
        facts[name] = Fact(last.field, last.value, last.text, whole)
        line.name_end = at + match.length
        return match.length
    model = match.of(Kind.MODEL)
    if model is not None:
        return take_model(line, at, match.length, model.value)
    line.said.unread.append(Unread(line.text(at, match.length)))
    return match.length


def take_version(line: Line, at: int, engine: str) -> int:
    """`vllm 0.6.3`, `llama.cpp 2025-04`: the atoms of a version behind an engine's name."""
    if at >= len(line.atoms) or line.atoms[at].apart:
        return 0
    start = line.atoms[at].start
    version = VERSION.match(line.source, start)
    if version is None and engine in BY_MONTH:
        version = DATED.match(line.source, start)
    if version is None:
        return 0
    end = at
    while end < len(line.atoms) and line.atoms[end].end <= version.end():
        end += 1
    if _is_share(line, at, end):
        return 0
    line.add("engine_version", version[0].lower().removeprefix("v"), at, end - at)
    return end - at


def _is_share(line: Line, at: int, end: int) -> bool:
    """The 0.95 of `vllm 0.95 util`: a share of the card, and no version."""
    match = None if end >= len(line.atoms) or line.atoms[end].apart else line.match(end)
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field != "utilization" or end != at + 1:
        return False
    after = end + match.length
    number = line.atoms[after].number if after < len(line.atoms) else None
    return number is None or number > 1


def _goes_on(line: Line, at: int) -> bool:
    """Whether the atom at `at` is a part of the half name before it."""
    atom = line.atoms[at]
    if atom.apart:
        return False
    if line.is_key(at):  # the r of `DeepSeek-R1`
        one = line.joined(at) or (atom.text == "r" and is_r1(line, at))
        return one and len(atom.text) == 1 and number_glued(line, at)
    if atom.numeric:
        if atom.glued and len(line.atoms[at - 1].text) == 1 and line.joined(at - 1):
            return True
        if atom.glued and line.atoms[at - 1].text in VERSIONS:
            return True
        quantity, match = line.quantity(at), line.match(at)
        meant = match is not None and (match.of(Kind.VALUE) or match.of(Kind.CARD))
        return not meant and (quantity is None or not quantity.facts)
    if line.match(at) is None:
        version = atom.text in VERSIONS and number_glued(line, at)
        return line.joined(at) or version or _is_before_size(line, at)
    return False


def _is_before_size(line: Line, at: int) -> bool:
    """The `oss` of `gpt oss 120b`: a short word between a family's name and a size."""
    after = at + 1
    if len(line.atoms[at].text) > SHORT_PART or after >= len(line.atoms) or line.joined(after):
        return False
    size = None if line.atoms[after].apart else line.quantity(after)
    return size is not None and bool(size.facts) and size.facts[0][0] == "size"


def is_r1(line: Line, at: int) -> bool:
    """`r1`, which is no rank where a model of that name may stand."""
    glued = number_glued(line, at) and not line.joined(at + 2)
    return line.atoms[at].text == "r" and glued and line.atoms[at + 1].text == "1"


def number_glued(line: Line, at: int) -> bool:
    """Whether a number hangs on the atom at `at`."""
    return at + 1 < len(line.atoms) and line.atoms[at + 1].numeric and line.atoms[at + 1].glued


def _head(line: Line, at: int) -> int:
    """Where the name really starts: unread words that it hangs on are its beginning."""
    start = at
    while start > 0 and at - start < LONGEST_TAIL and line.joined(start):
        before = line.atoms[start - 1]
        if before.numeric or line.match(start - 1) is not None:
            break
        start -= 1
    return start


def _beyond(line: Line, end: int) -> int:
    """The end of what hangs on a name and cannot be read; `end` if all of it can be."""
    at = end
    while line.joined(at) and at - end < LONGEST_TAIL:
        length = _readable(line, at)
        if not length:
            while line.joined(at):
                at += 1
            return at
        at += length
    return end


def _readable(line: Line, at: int) -> int:
    """Atoms of the phrase or quantity at `at`; 0 for what can only be part of a name."""
    quantity, match = line.quantity(at), line.match(at)
    if match is None:
        return 0 if quantity is None or quantity.plain else quantity.length
    if any(meaning.field == VARIANT for meaning in match.meanings):
        return 0
    if quantity is None and all(meaning.kind is Kind.CARD for meaning in match.meanings):
        return 0
    if all(meaning.kind is Kind.FILLER for meaning in match.meanings):
        between = line.source[line.atoms[at - 1].end : line.atoms[at].start]
        if between in HYPHENS and line.atoms[at].text not in SAME_MODEL:
            return 0
    length = max(match.length, 0 if quantity is None else quantity.length)
    if match.of(Kind.KEY) is not None and line.joined(at + length):
        return length + (1 if line.atoms[at + length].numeric else 0)
    return length


def _whole(line: Line, at: int, known: int, start: int, beyond: int) -> str:
    """The whole name, if it goes on beyond the atoms from `at` that are known."""
    plus = PLUS.match(line.source, line.atoms[beyond - 1].end)
    if start == at and beyond == at + known and plus is None:
        return ""
    return line.text(start, beyond - start) + ("+" if plus else "")
