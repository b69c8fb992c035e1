"""`double the batch`, `2 more gpus`, `the 14B`: what needs the question before to be told whole."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.compiled import compiled
from bot.reading.comparing import SIZE
from bot.reading.walk import Scanned
from bot.reading.write import write_line

FACTORS = {
    "double": 2.0, "twice": 2.0, "doubled": 2.0, "doubling": 2.0, "triple": 3.0,
    "quadruple": 4.0, "half": 0.5, "halve": 0.5, "halved": 0.5, "halving": 0.5,
}  # fmt: skip
MORE = {"one": 1, "another": 1, "a": 1, "two": 2, "three": 3, "four": 4, "second": 1}
# A word for what is counted: its field in training and in serving, and what holds unless said.
COUNTED: Mapping[str, tuple[str, str, int]] = {
    **dict.fromkeys(("batch size", "batch", "bs"), ("batch", "users", 1)),
    **dict.fromkeys(
        ("sequence length", "seq len", "seq", "sequence", "context length", "context", "ctx"),
        ("seq", "context", 0),
    ),
    **dict.fromkeys(("users", "concurrency"), ("batch", "users", 1)),
    **dict.fromkeys(("lora rank", "rank"), ("rank", "rank", 16)),
    **dict.fromkeys(("gpus", "cards"), ("gpus", "gpus", 1)),
}
LENGTHS = {"seq": 2048, "context": 8192}  # that hold unless said
_KEY = "|".join(sorted(COUNTED, key=len, reverse=True))
_TIMES = compiled(
    rf"\b({'|'.join(FACTORS)})\b(?: of)?(?: the| as many| as much| my)? ({_KEY})\b", re.IGNORECASE
)
_TIMES_BEHIND = compiled(rf"\b(?:the )?({_KEY}) (doubled|halved)\b", re.IGNORECASE)
_MORE = compiled(
    r"\b(?:add |plus |with )?(?:(\d{1,3}|one|two|three|four) more|(another|a second))"
    r"(?: of (?:them|those)| gpus?| cards?| one| ones)\b",
    re.IGNORECASE,
)


def absolute(plain: str, fields: Mapping[str, Any]) -> str:
    """`plain` with such numbers worked out from the `fields` of the question before."""

    def times(key: str, factor: str) -> str | None:
        train, serve, default = COUNTED[key.casefold()]
        name = train if fields.get("task") == "train" else serve
        if name == "gpus":
            return _cards(fields, lambda count: count * FACTORS[factor.casefold()])
        before = fields.get(name, LENGTHS.get(name, default))
        number = before * FACTORS[factor.casefold()]
        return write_line({name: int(number)}) if number >= 1 else None

    text = _TIMES.sub(lambda m: times(m[2], m[1]) or m[0], plain)
    text = _TIMES_BEHIND.sub(lambda m: times(m[1], m[2]) or m[0], text)
    return _MORE.sub(lambda m: _cards(fields, lambda count: count + _many(m)) or m[0], text)


def named_in_full(plain: str, fields: Mapping[str, Any], scan: Callable[[str], Scanned]) -> str:
    """`plain` with the family of the model before in front of a bare size, where it has that one.

    `what about the 14B?`, below an answer on Qwen2.5-7B, is Qwen2.5-14B.
    """
    model = str(fields.get("model", ""))
    family = SIZE.sub("", model.rpartition("/")[2]).strip(" -_:")
    said = scan(plain).said
    sizes = said.all_of("size")
    named = said.all_of("model") or said.all_of("half_name") or said.unread
    if len(sizes) != 1 or named or not family or family == model.rpartition("/")[2]:
        return plain
    whole = f"{family} {sizes[0].text}"
    found = scan(whole).said
    if not found.all_of("model") or found.all_of("size") or found.unread:
        return plain
    return plain.replace(sizes[0].text, whole, 1)


def _many(found: re.Match[str]) -> int:
    said = (found[1] or found[2].split()[-1]).casefold()
    return int(said) if said.isdecimal() else MORE[said]


def _cards(fields: Mapping[str, Any], change: Callable[[int], float]) -> str | None:
    """`4 gpus`, of a question with one kind of card."""
    cards = fields.get("gpus") or []
    if len(cards) != 1:
        return None
    count = change(cards[0].get("count", 1))
    return f"{int(count)} gpus" if count >= 1 else None
