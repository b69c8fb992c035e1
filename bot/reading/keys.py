"""Keys and what they take: `bs 4`, `r=16`, `kv q8`, `fp32 master`, `lr 2e-4`."""

from bot.reading.facts import Fact
from bot.reading.line import Line
from bot.reading.numbers import FORMAT_KEYS
from bot.reading.vocabulary import Kind, Match, Meaning

CONNECTORS = ("of", "is", "to", "at", "in", "set", "size", "length", "len", "per")
ENDLESS = ("nan", "inf", "infinity", "infinite")
ADAPTERS = ("lora", "qlora", "dora")
FORMATS = ("weights", "precision")
CACHE = ("kv", "kv_k", "kv_v")
PLAIN = ("fp32", "bf16", "fp16")
SMALL = ("fp8", "int8")
YIELDING = ("context", "seq", "prompt", "ignored")  # words that often stand without a number
COUNTS = ("users", "world")


def take_key(line: Line, at: int, match: Match, key: Meaning) -> int:
    """Atoms taken by the key at `at` with its value; 0 if it has none."""
    behind = at + match.length
    while behind < len(line.atoms) and line.atoms[behind].text in CONNECTORS:
        behind += 1
    if key.field in FORMAT_KEYS:
        return _take_format(line, at, at + match.length, behind, key.field)
    if behind >= len(line.atoms) or line.atoms[behind].apart:
        return 0
    if line.atoms[behind].text in ENDLESS:
        line.fault("no_value", "no_value", key=line.text(at, match.length))
        return behind + 1 - at
    return _take_number(line, at, behind, key, match)


def _take_number(line: Line, at: int, behind: int, key: Meaning, match: Match) -> int:
    quantity = line.quantity(behind, keyed=False)
    if quantity is None:
        if not line.atoms[behind].numeric:
            return 0
        if key.field == "ignored":  # `lr 2e-4`: whatever it is, it moves no memory
            return line.add(key.field, line.atoms[behind].text, at, behind + 1 - at)
        _hint(line, at, behind + 1 - at)
        return behind - at + line.bad_number(behind)
    if not quantity.plain and key.field not in quantity.may_be:
        return 0
    end = behind + quantity.length
    if quantity.number is None or _is_of_next(line, behind, end, key):
        return 0
    value = match.of(Kind.VALUE)
    if value is not None and value.field != "strategy":  # `momentum 0.9` says both
        line.add(value.field, value.value, at, match.length)
    line.add(key.field, quantity.number, at, end - at)
    _hint(line, at, end - at)
    return end - at


def _hint(line: Line, at: int, length: int) -> None:
    """`lora_r: 32` speaks of the method, weakly."""
    if line.atoms[at].text in ADAPTERS:
        line.add("method_hint", line.atoms[at].text, at, length)


def _is_of_next(line: Line, behind: int, end: int, key: Meaning) -> bool:
    """`max context 4 users`: the number is of the key behind it, which has no other."""
    if key.field not in YIELDING or line.atoms[behind].assigned:
        return False
    match = line.match(end)
    following = None if match is None else match.of(Kind.KEY)
    if match is None or following is None or following.field not in COUNTS:
        return False
    after = end + match.length
    return not (after < len(line.atoms) and line.atoms[after].numeric)


def _take_format(line: Line, at: int, end: int, behind: int, name: str) -> int:
    """`kv q8`, `grads in bf16`; or before it, where the format was taken: `fp8 kv`."""
    match = line.match(behind)
    value = None if match is None else _format(match)
    after = value is not None and not line.atoms[behind].apart and _can_be(name, value.value)
    if match is not None and value is not None and after:
        return line.add(name, value.value, at, behind + match.length - at)
    last = line.said.facts[-1] if line.said.facts else None
    adjacent = line.fact_end == at and not line.atoms[at].apart
    if last is None or not adjacent or last.field not in FORMATS:
        return 0
    if not _can_be(name, str(last.value)):
        return 0
    text = f"{last.text} {line.text(at, end - at)}"
    line.said.facts[-1] = Fact(name, last.value, text)
    line.fact_end = end
    return end - at


def _can_be(name: str, value: str) -> bool:
    return name in CACHE or value in PLAIN or (name == "states" and value in SMALL)


def _format(match: Match) -> Meaning | None:
    found = [m for m in match.meanings if m.kind is Kind.VALUE and m.field in FORMATS]
    return min(found, key=lambda meaning: meaning.field, default=None)  # `precision` first
