"""Keys and what they take: `bs 4`, `r=16`, `kv q8`, `fp32 master`, `lr 2e-4`."""

from bot.reading.clean import echo
from bot.reading.data_sets import is_unit
from bot.reading.facts import CardsSaid, Fact, Unread
from bot.reading.line import Line
from bot.reading.numbers import COUNTING, FORMAT_KEYS, LENGTHS, SHARES
from bot.reading.numbers_wrong import bad_value
from bot.reading.quantity import Quantity
from bot.reading.seeking import is_setting
from bot.reading.totals import take_batch
from bot.reading.vocabulary import Kind, Match, Meaning

ROUND = "6000"  # behind a length rather a round number than the card called so
FULL_CONTEXT = "full_context"  # a flag that needs the model: see `read`
CONNECTORS = ("of", "is", "up", "to", "about", "around", "at", "in", "set", "size", "length", "len",
              "per")  # fmt: skip
DASHES = ("-", "–", "—", "~", "..")
ENDLESS = ("nan", "inf", "infinity", "infinite")
ADAPTERS = ("lora", "qlora", "dora")
FORMATS = ("weights", "precision")
CACHE = ("kv", "kv_k", "kv_v")
DRAFT = "draft_weights"  # any format, which always stands behind
HALVES = {"kv_k": "kv_v", "kv_v": "kv_k"}
PLAIN = ("fp32", "bf16", "fp16")
SMALL = ("fp8", "int8")
PACKED = ("states", "compute")  # keys that take those, too
VAGUE = ("gguf", "mixed", "pure")  # words of formats that are no width of their own
YIELDING = ("context", "seq", "prompt", "ignored")  # words that often stand without a number
COUNTS = ("users", "world")
SPREAD = ("tp", "pp", "cp", "ep")  # `tp 4 gpus` says both
STORED = ("gguf:Q8_0", "gguf:Q5_1", "gguf:Q5_0", "gguf:Q4_1", "gguf:Q4_0", "4bit", "8bit")
SHORT_TYPE = 2  # letters of `q4`, a cache's type where `q4_k_m` is not


def take_key(line: Line, at: int, match: Match, key: Meaning) -> int:
    """Atoms taken by the key at `at` with its value; 0 if it has none."""
    behind = at + match.length
    while behind < len(line.atoms) and line.atoms[behind].text in CONNECTORS:
        behind += 1
    if key.field == "world" and behind > at + match.length and line.atoms[behind - 1].text != "of":
        return 0  # `a 32 GB card at 4k`
    if key.field in FORMAT_KEYS:
        return _take_format(line, at, at + match.length, behind, key.field)
    if behind >= len(line.atoms) or line.atoms[behind].apart:
        return 0
    if key.field in ("context", "seq") and _is_whole(line, behind):
        return line.add("flag", FULL_CONTEXT, at, behind + 1 - at)
    if line.atoms[behind].text in ENDLESS:
        line.fault("no_value", "no_value", key=echo(line.text(at, match.length)), example="4")
        return behind + 1 - at
    return _refuse_number(line, at, behind, key, match) or _take_number(
        line, at, behind, key, match
    )


def _is_whole(line: Line, at: int) -> bool:
    """`ctx max`, `context full`: all of the window; not in `ctx max 8k`."""
    match = line.vocabulary.longest(line.atoms, at, below=2)
    alone = match is not None and is_unit(match, "whole")
    after = at + 1
    free = after >= len(line.atoms) or line.atoms[after].apart
    return alone and (free or not line.atoms[after].numeric)


def _take_number(line: Line, at: int, behind: int, key: Meaning, match: Match) -> int:
    quantity = line.quantity(behind, keyed=False)
    if quantity is None:
        if not line.atoms[behind].numeric:
            return 0
        if key.field == "ignored":  # `lr 2e-4`: whatever it is, it moves no memory
            return line.add(key.field, line.atoms[behind].text, at, behind + 1 - at)
        hint(line, at, behind + 1 - at)
        return bad_value(line, at, behind, match, key)
    numbered = key.field != "world" or line.text(at, match.length) == key.field
    meant = line.atoms[behind].assigned or (
        key.field in LENGTHS and (line.atoms[behind].text == ROUND or is_setting(line, at, match))
    )
    if numbered and meant and _is_bare_card(line, behind, quantity):
        hint(line, at, behind + 1 - at)  # `users=4090` is no card
        return line.add(key.field, line.atoms[behind].number or 0, at, behind + 1 - at)
    if line.atoms[behind].percent and key.field not in SHARES:
        return bad_value(line, at, behind, match, key)
    if not quantity.plain and key.field not in quantity.may_be:
        return 0
    length = bool(quantity.facts) and quantity.facts[0][0] == "length"
    if length and key.field not in (*LENGTHS, *COUNTING):
        return _no_count(line, at, behind, match)
    end = behind + quantity.length
    if quantity.number is None or _is_of_next(line, behind, end, key):
        return 0
    if key.field in SPREAD and _counts_cards(line, behind):  # `tp 2 h100s` says both
        return line.add(key.field, quantity.number, at, behind - at)
    value = match.of(Kind.VALUE)
    if value is not None and value.field not in ("strategy", "find", "flag", "module"):
        # `momentum 0.9` says both, `output 500` no module
        line.add(value.field, value.value, at, match.length)
    end += take_batch(line, key.field, quantity.number, at, end)
    hint(line, at, end - at)
    return end - at + _spread_over(line, end, key, quantity)


def _refuse_number(line: Line, at: int, behind: int, key: Meaning, match: Match) -> int:
    """Atoms of a key with what cannot be its one number: `seq 2–4k`, `bs 512k tokens`."""
    quantity = line.quantity(behind, keyed=False)
    if quantity is None:
        return 0
    if key.field == "batch" and quantity.facts and quantity.facts[0][0] == "length":
        return _no_count(line, at, behind, match)
    end = behind + quantity.length
    if quantity.number is None or end >= len(line.atoms) or line.atoms[end].apart:
        return 0
    between = line.source[line.atoms[end - 1].end : line.atoms[end].start].strip()
    if between not in DASHES or not line.joined(end) or key.field == "ignored":
        return 0
    other = line.quantity(end)
    if other is None or (other.facts and other.facts[0][0] != "length"):
        return 0
    end += other.length
    line.fault("ambiguous", "span", words=echo(line.text(at, end - at)))
    hint(line, at, end - at)
    return end - at


def take_idle_number(line: Line, at: int) -> int:
    """`1e-4 lr`: atoms of a number with its key that moves no memory; 0 for any other."""
    match = line.match(at + 1)
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field != "ignored" or line.atoms[at + 1].apart:
        return 0
    after = at + 1 + match.length
    if after < len(line.atoms) and line.atoms[after].numeric and line.atoms[after].assigned:
        return 0
    return line.add(key.field, line.atoms[at].text, at, 1 + match.length)


def _is_bare_card(line: Line, at: int, quantity: Quantity) -> bool:
    """`4090`: a plain number that is also a card's name."""
    named = bool(quantity.facts) and quantity.facts[0][0] == "gpus"
    return named and quantity.length == 1 and not line.joined(at + 1)


def _no_count(line: Line, at: int, behind: int, match: Match) -> int:
    """`users 8k`: a length is no count; 0 where the key may stand without one."""
    length = line.quantity(behind)
    bare = length is not None and length.facts[0][0] == "length"
    if not bare or match.of(Kind.VALUE) is not None:
        return 0
    line.fault("no_value", "no_value", key=echo(line.text(at, match.length)), example="4")
    return behind - at + (0 if length is None else length.length)


def _counts_cards(line: Line, at: int) -> bool:
    """`2 h100s`: a number that counts the cards behind it beyond doubt."""
    quantity = None if line.atoms[at].assigned else line.quantity(at)
    said = quantity.facts[0][1] if quantity is not None and quantity.facts else None
    return isinstance(said, CardsSaid) and said.counted and bool(said.name) and not said.bare


def _spread_over(line: Line, end: int, key: Meaning, quantity: Quantity) -> int:
    """`tp 4 gpus`: the number is that of the cards too; atoms of the word for them."""
    match = line.match(end) if key.field in SPREAD else None
    cards = None if match is None else match.of(Kind.KEY)
    if match is None or cards is None or cards.field != "world" or line.atoms[end].apart:
        return 0
    after = end + match.length
    if quantity.number is None or (after < len(line.atoms) and line.atoms[after].numeric):
        return 0
    return line.add("world", quantity.number, end, match.length)


def hint(line: Line, at: int, length: int) -> None:
    """`lora_r: 32`, `lora targets` speak of the method, weakly."""
    if line.atoms[at].text in ADAPTERS:
        line.add("method_hint", line.atoms[at].text, at, length)


def _is_of_next(line: Line, behind: int, end: int, key: Meaning) -> bool:
    """`max context 4 users`: the number is of the key behind it, which has no other."""
    counts = ("world",) if key.field == "dp" else COUNTS  # `data parallel 8 gpus`
    if key.field == "dp" and _counts_cards(line, behind):
        return True
    if key.field not in (*YIELDING, "dp") or line.atoms[behind].assigned:
        return False
    match = line.match(end)
    following = None if match is None else match.of(Kind.KEY)
    if match is None or following is None or following.field not in counts:
        return False
    after = end + match.length
    return not (after < len(line.atoms) and line.atoms[after].numeric)


def _take_format(line: Line, at: int, end: int, behind: int, name: str) -> int:
    """`kv q8`, `grads in bf16`; or before it, where the format was taken: `fp8 kv`.

    With one on either side, `q4 kv q8`, `bf16 compute fp8`, it is the one behind, as weights
    are said first. A plain one before a cache (`bf16 kv fp8`) may be that of either.
    """
    length, value = _format_at(line, behind)
    named = bool(value) and not line.atoms[behind].apart
    after = named and _can_be(name, value)
    before = _format_before(line, at, name)
    if named and not after and before is None and name == "compute":
        line.said.unread.append(Unread(line.text(at, end - at), key=name))
    if before is None and after:
        end = behind + length
        return line.add(name, value, at, end - at) + _take_other_half(line, end, name)
    if before is None:
        return 0
    if after and _is_behind(line, before, name, behind, length):
        doubtful = before.value != value and _is_doubtful(line, before, name)
        if doubtful and not line.atoms[behind].assigned:
            line.add("between", name, at, end - at)
        return line.add(name, value, at, behind + length - at)
    text = f"{before.text} {line.text(at, end - at)}"
    line.said.facts[-1] = Fact(name, before.value, text)
    line.fact_end = end
    return end - at


def _take_other_half(line: Line, at: int, name: str) -> int:
    """The `v q4_0` of `kv k q8_0 v q4_0`, and of `kv v q4_0, k q8_0`."""
    other = HALVES.get(name)
    if other is None or at >= len(line.atoms) or line.atoms[at].text != other[-1]:
        return 0
    length, value = _format_at(line, at + 1)
    if not length or line.atoms[at + 1].apart:
        return 0
    return line.add(other, value, at, 1 + length)


def _is_behind(line: Line, before: Fact, name: str, behind: int, length: int) -> bool:
    """Whether of two formats around a key the one behind is its own.

    Not the `q4_k_m` of `q8 kv q4_k_m`, in which no cache is held, nor one that another word
    behind has: `q8 k cache q4 v cache`, `fp8 kv awq weights`, `bf16 grads fp32 states`.
    """
    value = _format_at(line, behind)[1]
    if line.atoms[behind].assigned or before.value == value:
        return True
    if name not in CACHE:
        return not _has_format(line, behind + length)
    if not may_precede(name, value, line.text(behind, length)):
        return False
    return not _has_format(line, behind + length)


def _has_format(line: Line, at: int) -> bool:
    """Whether the word at `at` is of the format right before it: `v cache`, `weights`."""
    match = None if at >= len(line.atoms) or line.atoms[at].apart else line.match(at)
    if match is None:
        return False
    key, slot = match.of(Kind.KEY), match.of(Kind.SLOT)
    own = _format_at(line, at + match.length)[0] and not line.atoms[at + match.length].apart
    if slot is not None and slot.field == "weights":
        return not own
    return key is not None and key.field in FORMAT_KEYS and not own


def _is_doubtful(line: Line, before: Fact, name: str) -> bool:
    """Whether a format before a key may be the weights' as well as the key's."""
    other = [f for f in line.said.facts[:-1] if f.field in FORMATS and f.value not in VAGUE]
    return (name in CACHE and before.value in PLAIN) or bool(other)


def _format_before(line: Line, at: int, name: str) -> Fact | None:
    """The format that stands right before the key at `at`, if the key can have it."""
    last = line.said.facts[-1] if line.said.facts else None
    if last is None or last.field not in FORMATS or line.fact_end != at or line.parted(at):
        return None
    return last if may_precede(name, str(last.value), last.text) else None


def may_precede(name: str, value: str, text: str) -> bool:
    """Whether a format before the key `name` may be meant for it."""
    if name in CACHE:
        return value in (*PLAIN, *SMALL, *STORED) or len(text) <= SHORT_TYPE
    return name != DRAFT and _can_be(name, value)


def _can_be(name: str, value: str) -> bool:
    return name in (*CACHE, DRAFT) or value in PLAIN or (name in PACKED and value in SMALL)


def _format_at(line: Line, at: int) -> tuple[int, str]:
    """(atoms, format) at `at`: the fp32 of `grads fp32 master fp32`; (0, "") if there is none."""
    match = line.match(at)
    if match is not None and not _format(match) and line.crossing(at, at + match.length):
        match = line.vocabulary.longest(line.atoms, at, below=match.length)
    value = "" if match is None else _format(match)
    return (match.length, value) if match is not None and value else (0, "")


def _format(match: Match) -> str:
    found = [m for m in match.meanings if m.kind is Kind.VALUE and m.field in FORMATS]
    best = min(found, key=lambda meaning: meaning.field, default=None)  # `precision` first
    return "" if best is None else best.value
